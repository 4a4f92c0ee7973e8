#!/bin/bash
# The health check of api and worker: 0 when the process is ready. One that hangs, so that it answers nothing at all, is killed, and
# Docker starts it anew; one that says why it is not ready is left alone. Bash alone and nothing it would have to start: the check
# runs four times a minute, for ever.
#
# The argument is the process whose children are the service: the init process of the container, unless a test has another one.
init=${1:-1}
port=${INTERNAL_PORT:-9090}

# Asks for a path and leaves the first line of the answer in `line`. More than 128: connected, and no answer in so many seconds.
ask() {
  { printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&3 && IFS= read -r -t "$2" line <&3; } 3<>"/dev/tcp/127.0.0.1/$port"
} 2>/dev/null

ask /readyz 5
case $? in
  0) [[ $line == 'HTTP/'*' 200 '* ]]; exit ;;
  # Nobody listens: it starts, or ends.
  [1-9] | [1-9][0-9] | 1[01][0-9] | 12[0-8]) exit 1 ;;
esac
# Twice: a machine that stood still wakes up with the first time over, whatever the process does.
for _ in 1 2; do
  ask /healthz "${HEALTH_PATIENCE_SECONDS:-8}"
  (($? > 128)) || exit 1
done
echo 'no answer: the process is killed, to be started anew'
kill -KILL $(<"/proc/$init/task/$init/children")
exit 1
