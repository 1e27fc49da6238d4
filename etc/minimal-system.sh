#!/usr/bin/env bash
# Makes a minimal root file system of Debian's packages in FOLDER, on a Debian: etc/minimal-system.sh FOLDER
#
# The C library, bash, and who they belong to, in the form in which scanners look for packages (var/lib/dpkg/status.d).
set -euo pipefail
root=$1
packages=(base-files netbase libc6 libtinfo6 bash)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt downloads as a user of its own
cd "$work"
apt-get update -qq
apt-get download -qq "${packages[@]}"
# Directories that other packages expect to be links, as on any Debian of today.
mkdir -p "$root"/usr/{bin,lib,lib64,sbin} "$root/var/lib/dpkg/status.d"
for name in bin lib lib64 sbin; do
  ln -s "usr/$name" "$root/$name"
done
for file in *.deb; do
  mkdir content
  dpkg-deb -x "$file" content
  for name in bin lib lib64 sbin; do # packages of Debian 12 still have them
    if [ -d "content/$name" ]; then
      mkdir -p "content/usr/$name"
      cp -a "content/$name/." "content/usr/$name/"
      rm -r "content/$name"
    fi
  done
  # No documentation but licenses, no translations, no tables for character sets that nobody here asks for.
  rm -rf content/usr/share/{man,info,locale,lintian,bash-completion,menu} content/usr/lib/*/gconv
  find content/usr/share/doc -type f ! -name copyright -delete 2>/dev/null || true
  cp -a content/. "$root/"
  rm -r content
  dpkg-deb -f "$file" >"$root/var/lib/dpkg/status.d/$(dpkg-deb -f "$file" Package)"
done
mkdir -p "$root"/{tmp,etc,home/restheart}
chmod 1777 "$root/tmp"
printf 'root:x:0:0:root:/:/usr/bin/bash\nrestheart:x:1000:1000:restheart:/home/restheart:/usr/bin/bash\n' >"$root/etc/passwd"
printf 'root:x:0:\nrestheart:x:1000:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
ln -sf bash "$root/usr/bin/sh"
