#!/bin/bash
# What make install puts where, what others build with it, and that make uninstall takes all of it away.
. tests/lib.sh
MAKE=${MAKE:-make}
PREFIX=$SCRATCH/prefix

# made TARGET [VARIABLE]...: what make did is in $SCRATCH/out.
made() {
	"$MAKE" --no-print-directory BUILD="$BUILD" PREFIX="$PREFIX" "$@" >"$SCRATCH/out" 2>&1
	judge "make $*" [ $? -eq 0 ]
}

installed() {
	judge "$1 is installed" [ -s "$PREFIX/$1" ]
}

made install
installed share/fmc/fmc.py
installed share/bash-completion/completions/fmc
installed share/zsh/site-functions/_fmc
installed include/fmc/ops.h
installed include/fmc/points.h
installed lib/libfmc-tsan.a
installed share/pkgconfig/fmc-tsan.pc
judge "every manual page is installed" [ "$(cd man && printf "%s\n" *.[0-9])" = "$(find "$PREFIX/share/man" -type f -printf '%f\n' | LC_ALL=C sort)" ]
"$PREFIX/bin/fmc" --version >"$SCRATCH/out" 2>&1
says "it runs from there" '^fmc [0-9]'
version=$(sed 's/^fmc //' "$SCRATCH/out")

# The headers as pkg-config finds them, in C and in C++, each strictly.
export PKG_CONFIG_PATH=$PREFIX/share/pkgconfig
judge "pkg-config knows the version" [ "$(pkg-config --modversion fmc)" = "$version" ]
judge "pkg-config knows the program" [ "$(pkg-config --variable=fmc fmc)" = "$PREFIX/bin/fmc" ]
cat >"$SCRATCH/chooses.c" <<'EOT'
#include <fmc/points.h>
#include <pthread.h>
static int shared, chosen;
static void *work(void *unused)
{
	chosen = fmc_choose(3);
	fmc_point(&shared, sizeof shared, 1);
	shared++;
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	fmc_point(&shared, sizeof shared, 1);
	shared++;
	pthread_join(thread, NULL);
	return chosen == 2 ? 7 : 0;
}
EOT
cp "$SCRATCH/chooses.c" "$SCRATCH/chooses.cc"
warnings='-Wall -Wextra -Wpedantic -Werror -O2 -g -pthread'
"${CC:-cc}" -std=c99 $warnings -Wstrict-prototypes -Wmissing-prototypes $(pkg-config --cflags fmc) "$SCRATCH/chooses.c" -o "$SCRATCH/in-c"
"${CXX:-c++}" -std=c++98 $warnings $(pkg-config --cflags fmc) "$SCRATCH/chooses.cc" -o "$SCRATCH/in-c++"
for program in in-c in-c++; do
	"$SCRATCH/$program"
	judge "$program: without fmc the functions do nothing" [ $? -eq 0 ]
	"$PREFIX/bin/fmc" check --strategy dfs -o "$SCRATCH/$program.sched" -- "$SCRATCH/$program" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	says "$program: fmc chooses" '^exit: the program exits with status 7' 'choose .*= 2' 'memory_(read|write)'
	judge "$program: nothing is mangled" [ ! -s "$SCRATCH/err" ]
done

# A plug-in with the same flags.
"${CC:-cc}" -std=gnu11 -fPIC -shared $(pkg-config --cflags fmc) samples/ops/rw2.c -o "$SCRATCH/rw2.so"
"$PREFIX/bin/fmc" check --strategy dfs --ops "$SCRATCH/rw2.so" -- "$BUILD/samples/reader_two_writers" 0 </dev/null >"$SCRATCH/out" 2>&1
says "a plug-in that was built with it" 'operations being what rw2\.so says'

made uninstall
judge "nothing of it is left" [ -z "$(find "$PREFIX" -type f)" ]
made install DESTDIR="$SCRATCH/root" PREFIX=/usr
judge "DESTDIR: it is there" [ -s "$SCRATCH/root/usr/bin/fmc" ]
judge "DESTDIR: it isn't named" grep -qx 'prefix=/usr' "$SCRATCH/root/usr/share/pkgconfig/fmc.pc"
made uninstall DESTDIR="$SCRATCH/root" PREFIX=/usr
judge "DESTDIR: nothing of it is left" [ -z "$(find "$SCRATCH/root" -type f)" ]
finish
