#!/usr/bin/env bash
# Runs the test command with a quarter of the processors: test/slowly.sh [what `pnpm test` takes]. A test that waits too short, or
# counts on the speed of one machine, fails here. Needs Linux and root, for a control group of its own; with CPU_SHARE=10 it gets
# a tenth. Docker's containers would run outside of it: its Postgres and Redis must be local binaries or come by DATABASE_URL.
set -euo pipefail
cd "$(dirname "$0")/.."
period=20000
quota=$((period * $(nproc) * ${CPU_SHARE:-25} / 100))
if [ -w /sys/fs/cgroup/cpu ]; then
  group=$(mktemp -d /sys/fs/cgroup/cpu/inventory-slowly-XXXXXX)
  echo $period > "$group/cpu.cfs_period_us"
  echo $quota > "$group/cpu.cfs_quota_us"
elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
  group=$(mktemp -d /sys/fs/cgroup/inventory-slowly-XXXXXX)
  echo "$quota $period" > "$group/cpu.max"
else
  echo 'no control group for processors can be made here; try: nice -n 19 npx -y pnpm@12 test, beside six busy loops' >&2
  exit 1
fi
# What still ends in it keeps it for a moment.
trap 'rmdir "$group" 2>/dev/null || { sleep 2; rmdir "$group"; } || true' EXIT
(
  echo $BASHPID > "$group/cgroup.procs"
  exec npx -y pnpm@12 test "$@"
)
