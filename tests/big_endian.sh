#!/usr/bin/env bash
# Builds the command for a big-endian machine (s390x), and runs the file tests there, in qemu-user. Nothing is installed: the
# packages of that machine are unpacked below FOLDER.
# Usage: big_endian.sh SOURCE NORN FOLDER
# Needs root (debootstrap) and the packages debootstrap gcc-s390x-linux-gnu qemu-user-static.
set -euo pipefail
source=$(realpath "$1") norn=$(realpath "$2") folder=$(realpath -m "$3")
root=$folder/root
if [ ! -e "$folder/unpacked" ]; then
  rm -rf "$root"
  mkdir -p "$folder"
  debootstrap --foreign --arch=s390x --variant=minbase --include=libglib2.0-dev,libxml2-dev,libjson-glib-dev,spirv-tools,spirv-headers,libc6-dev,libstdc++-12-dev \
    bookworm "$root" http://deb.debian.org/debian >"$folder/debootstrap.log" || { tail "$folder/debootstrap.log"; exit 1; }
  for package in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  touch "$folder/unpacked"
fi
libraries=$root/usr/lib/s390x-linux-gnu:$root/lib/s390x-linux-gnu
cat >"$folder/s390x.ini" <<END
[binaries]
c = 's390x-linux-gnu-gcc'
ar = 's390x-linux-gnu-ar'
strip = 's390x-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-s390x-static', '-L', '$root']
[built-in options]
c_args = ['--sysroot=$root', '-I$root/usr/include/s390x-linux-gnu']
c_link_args = ['--sysroot=$root', '-L$root/usr/lib/s390x-linux-gnu', '-L$root/lib/s390x-linux-gnu', '-L$root/usr/lib/gcc/s390x-linux-gnu/12',
  '-Wl,-rpath-link,$root/usr/lib/s390x-linux-gnu', '-Wl,-rpath-link,$root/lib/s390x-linux-gnu']
[properties]
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/s390x-linux-gnu/pkgconfig:$root/usr/share/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 's390x'
cpu = 's390x'
endian = 'big'
END
[ -e "$folder/build/build.ninja" ] || meson setup "$folder/build" "$source" --cross-file "$folder/s390x.ini" -Doptimization=1 -Ddebug=false -Ddocs=false \
  -Dtests=false -Dpng=disabled >"$folder/setup.log" || { tail "$folder/setup.log"; exit 1; }
ninja -C "$folder/build" tools/norn
cat >"$folder/norn" <<END
#!/bin/sh
exec qemu-s390x-static -L '$root' -E 'LD_LIBRARY_PATH=$folder/build:$libraries' '$folder/build/tools/norn' "\$@"
END
chmod +x "$folder/norn"
"$norn" test --command "$folder/norn" "$source/tests/filetests"
