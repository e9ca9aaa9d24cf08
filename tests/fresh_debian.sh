#!/bin/sh
# Runs `./doit ARGUMENTS...` on a Debian 12 that has nothing but apt, in a copy of this checkout: the proof that
# debian-packages.txt and requirements.lock are all that Crategrad needs. It wants root, mmdebstrap and 5 GB:
#
#   tests/fresh_debian.sh list
set -eu

checkout=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)
debian=$(mktemp -d)
trap 'rm -rf "$debian"' EXIT

mmdebstrap --quiet --variant=apt bookworm "$debian"
mkdir "$debian/crategrad"
git -C "$checkout" ls-files -z --cached --others --exclude-standard |
    tar -C "$checkout" --null --files-from=- -c | tar -C "$debian/crategrad" -x

# The network is this machine's: its names, its pip settings, the certificates it trusts.
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
    [ ! -e "$file" ] || cp "$file" "$debian/etc/"
done
cp /etc/ssl/certs/ca-certificates.crt "$debian/trusted.crt"

# The mounts are in a namespace of their own and gone before anything is removed.
# shellcheck disable=SC2016 # expanded in there
unshare --mount sh -euc '
    debian=$1; shift
    mount --bind /proc "$debian/proc"
    mount --rbind /dev "$debian/dev"
    chroot "$debian" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        PIP_CERT=/trusted.crt CARGO_HTTP_CAINFO=/trusted.crt /crategrad/doit "$@"
' sh "$debian" "$@"
