#!/bin/bash
# The Debian package: it can be built, has what make install installs, runs from where it is unpacked, and lintian has nothing to say.
. tests/lib.sh
MAKE=${MAKE:-make}
for tool in dpkg-buildpackage dh; do
	command -v $tool >/dev/null && continue
	skip "$tool isn't installed (Debian: apt-get install debhelper dpkg-dev lintian)"
	finish
	exit
done

# What building needs is named once for people and once for the package.
for package in $(sed -n "s/^build='\(.*\)'/\1/p" tests/setup.sh); do
	case $package in
	libc6-dev) ;; # essential for building
	lib*-dev) judge "the package needs $package to be built" grep -q "^Build-Depends:.* $package\(,\|\$\)" .debian/control ;;
	esac
done

# That it can be compiled anew, with the options of the distribution, is for `make check-long`: here it's packed as it has been built.
long && from= || from=$BUILD
export DEB_BUILD_OPTIONS="parallel=$JOBS"
"$MAKE" --no-print-directory deb DEB_FROM="$from" </dev/null >"$SCRATCH/out" 2>&1
status=$?
judge "make deb" [ $status -eq 0 ]
[ $status -eq 0 ] || show <(tail -n 30 "$SCRATCH/out")
package=$(echo build/deb/fmc_*.deb)
root=$SCRATCH/root
dpkg -x "$package" "$root"
"$root/usr/bin/fmc" --version >"$SCRATCH/out" 2>&1
judge "its version is the program's" [ "fmc $(dpkg-deb -f "$package" Version)" = "$(cat "$SCRATCH/out")" ]
"$root/usr/bin/fmc" check --strategy dfs -o "$SCRATCH/p.sched" -- "$BUILD/samples/philosophers" 2 </dev/null >"$SCRATCH/out" 2>&1
says "it finds what it is to find" '^deadlock: '
if command -v gdb >/dev/null; then
	env -u FMC timeout -k 10 120 "$root/usr/bin/fmc" gdb "$SCRATCH/p.sched" -nx -q -batch </dev/null >"$SCRATCH/out" 2>&1
	says "its commands for GDB are found" '^at the end, after transition'
else
	skip "gdb isn't installed"
fi

# What make install installs, but for zsh's folder and the pages, which are compressed.
"$MAKE" -s --no-print-directory install BUILD="$BUILD" DESTDIR="$SCRATCH/made" PREFIX=/usr ZSH_FUNCTIONS=share/zsh/vendor-completions >/dev/null 2>&1
(cd "$SCRATCH/made" && find . -type f | sort) >"$SCRATCH/installed"
(cd "$root" && find . -type f ! -path './usr/share/doc/*' | sed '/\/man\//s/\.gz$//' | sort) >"$SCRATCH/packed"
judge "it has all that is installed" [ -s "$SCRATCH/packed" -a -z "$(diff "$SCRATCH/installed" "$SCRATCH/packed")" ]
judge "it has its licence" [ -s "$root/usr/share/doc/fmc/copyright" ]
if command -v lintian >/dev/null; then
	lintian --allow-root build/deb/fmc_*.changes >"$SCRATCH/out" 2>&1
	judge "lintian has nothing to say" [ $? -eq 0 -a ! -s "$SCRATCH/out" ]
	show "$SCRATCH/out"
else
	skip "lintian isn't installed"
fi
finish
