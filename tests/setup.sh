#!/bin/sh
# setup.sh [build] [check] [bench] [deb] [programs] [locks]: see that the packages for building (for the tests, for what is measured, for a Debian package,
# for the table of programs, for tests of other libraries' locks, which are left out without them)
# are there; quick when they are.
# Missing ones are installed through apt-get with a line that says so; where that can't be done, the command to
# type is printed and the exit status is 1.
build='gcc g++ libc6-dev make pkg-config libdw-dev libelf-dev libunwind-dev libcapstone-dev libjansson-dev'
check='check chromium clang g++ gdb graphviz valgrind mandoc musl-tools python3 pigz pbzip2 lbzip2 ripgrep xz-utils zsh cmake meson automake zstd memcached redis-server nginx-light'
deb='debhelper dpkg-dev lintian'
bench='git time x264 squashfs-tools'
locks='libomp-dev libtbb-dev qtbase5-dev'
programs=$(awk '!/^#/ && NF { gsub(",", " ", $2); print $2 }' "$(dirname "$0")/programs/programs.txt" | tr '\n' ' ')

wanted=
for set in "$@"; do
	case $set in
	build) wanted="$wanted $build" ;;
	check) wanted="$wanted $check" ;;
	bench) wanted="$wanted $bench" ;;
	deb) wanted="$wanted $deb" ;;
	programs) wanted="$wanted $programs" ;;
	locks) wanted="$wanted $locks" ;;
	esac
done

if ! command -v dpkg-query >/dev/null; then
	# Another distribution: building says what is missing.
	exit 0
fi
missing=
for package in $wanted; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)
	[ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

become=
if [ "$(id -u)" -ne 0 ]; then
	if sudo -n true 2>/dev/null; then
		become='sudo -n'
	else
		echo "fmc needs packages: type: sudo apt-get install$missing" >&2
		exit 1
	fi
fi
echo "installing$missing (apt-get)"
log=$(mktemp)
install() {
	# RUNLEVEL: services that come with packages aren't started.
	$become env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -qq -y --no-install-recommends $missing </dev/null >"$log" 2>&1
}
if ! install && ! { $become apt-get update -qq >"$log" 2>&1 && install; }; then
	tail -n 5 "$log" >&2
	rm -f "$log"
	echo "the installation failed: type: sudo apt-get update && sudo apt-get install$missing" >&2
	exit 1
fi
rm -f "$log"
