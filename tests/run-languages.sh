#!/bin/bash
# Atomic instructions of other compilers, libcs and languages (--atomics): the programs do what they always do.
. tests/lib.sh

# as_natively NAME: the program's output and end are what they always are, whichever way threads switch at its atomic instructions.
as_natively() {
	local name=$1 seed wrong=0
	"$SCRATCH/$name" >"$SCRATCH/expected"
	for seed in 1 2 3 4; do
		timeout -k 10 150 "$FMC" run --atomics --seed $seed -o "$SCRATCH/$name.sched" -- "$SCRATCH/$name" >"$SCRATCH/found" 2>"$SCRATCH/err"
		[ $? -eq 0 ] && cmp -s "$SCRATCH/expected" "$SCRATCH/found" && continue
		wrong=$((wrong + 1))
		show "$SCRATCH/found" "$SCRATCH/err"
	done
	judge "$name: $wrong of 4 runs differ" [ $wrong -eq 0 ]
}

# Code for whatever vectors this processor has.
cat >"$SCRATCH/vectors.c" <<'EOT'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
static float a[4096], b[4096], c[4096];
static _Atomic long long sum;
static atomic_int n;
static char text[2][5000];
static void *work(void *argument)
{
	const int half = argument != NULL, from = half * 2048;
	double mine = 0;
	for (int i = from; i < from + 2048; i++)
		c[i] = a[i] * b[i] + 1.0f;
	for (int i = from; i < from + 2048; i++)
		mine += c[i];
	sum += (long long)mine;
	n++;
	memset(text[half], 'x', 4999);
	n += strchr(text[half], 0) == text[half] + 4999;
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 4096; i++)
		a[i] = (float)(i % 7), b[i] = (float)(i % 5);
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, threads);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%lld %d\n", sum, n);
	return 0;
}
EOT
for compiler in gcc clang musl-gcc; do
	for flags in '' '-static -s'; do
		# shellcheck disable=SC2086
		if command -v $compiler >/dev/null &&
		    $compiler -O3 -march=native -pthread $flags "$SCRATCH/vectors.c" -o "$SCRATCH/vectors-$compiler${flags:+-static}" 2>/dev/null; then
			as_natively "vectors-$compiler${flags:+-static}"
		else
			skip "vectors, $compiler $flags: can't be built"
		fi
	done
done

# Other languages: their runtimes' locks are atomic instructions and futexes.
cat >"$SCRATCH/rust.rs" <<'EOT'
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Barrier, Condvar, Mutex, Once, RwLock};
use std::thread;
static N: AtomicUsize = AtomicUsize::new(0);
static START: Once = Once::new();
fn main() {
    let done = Arc::new((Mutex::new(0), Condvar::new()));
    let list = Arc::new(RwLock::new(Vec::new()));
    let barrier = Arc::new(Barrier::new(3));
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..3)
        .map(|i| {
            let (done, list, barrier, sender) = (done.clone(), list.clone(), barrier.clone(), sender.clone());
            thread::spawn(move || {
                START.call_once(|| { N.fetch_add(100, Ordering::SeqCst); });
                N.fetch_add(1, Ordering::Relaxed);
                list.write().unwrap().push(i);
                barrier.wait();
                *done.0.lock().unwrap() += 1;
                done.1.notify_all();
                sender.send(i).unwrap();
            })
        })
        .collect();
    drop(sender);
    let mut count = done.0.lock().unwrap();
    while *count < 3 { count = done.1.wait(count).unwrap(); }
    drop(count);
    let sum: usize = receiver.iter().sum();
    for thread in threads { thread.join().unwrap(); }
    let length = list.read().unwrap().len();
    println!("{} {} {}", N.load(Ordering::SeqCst), sum, length);
}
EOT
if command -v rustc >/dev/null && rustc -O -C target-cpu=native "$SCRATCH/rust.rs" -o "$SCRATCH/rust" 2>"$SCRATCH/err"; then
	as_natively rust
else
	skip "rust: can't be built"
fi
# Go's collector stops threads that compute, and those that sleep, by signals.
mkdir "$SCRATCH/go.d"
cat >"$SCRATCH/go.d/main.go" <<'EOT'
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

var sums [3]int

func main() {
	var n int64
	var group sync.WaitGroup
	runtime.GOMAXPROCS(3)
	for i := range sums {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for j := 0; j < 1000000; j++ {
				sums[i] += j
			}
			atomic.AddInt64(&n, 1)
		}(i)
	}
	runtime.GC()
	group.Wait()
	fmt.Println(n, sums)
}
EOT
if command -v go >/dev/null &&
    GOCACHE=$SCRATCH/go.cache GO111MODULE=off go build -o "$SCRATCH/go" "$SCRATCH/go.d/main.go" 2>"$SCRATCH/err"; then
	as_natively go
else
	skip "go: can't be built"
fi

finish
