#!/bin/bash
# The health check of api and worker: 0 when the process is ready. A process that does not answer at all is killed, and Docker
# restarts it. A process that answers why it is not ready is left alone. The script starts no other program, because it runs four
# times a minute.
#
# Argument: the parent process of the service. Default: the init process of the container.
init=${1:-1}
port=${INTERNAL_PORT:-9090}

# Requests a path and stores the first line of the answer in `line`. Above 128: connected, but no answer in this many seconds.
ask() {
  { printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&3 && IFS= read -r -t "$2" line <&3; } 3<>"/dev/tcp/127.0.0.1/$port"
} 2>/dev/null

patience=${HEALTH_PATIENCE_SECONDS:-8}
ask /readyz $((patience < 5 ? patience : 5))
case $? in
  0) [[ $line == 'HTTP/'*' 200 '* ]]; exit ;;
  # No process listens: it is starting or ending.
  [1-9] | [1-9][0-9] | 1[01][0-9] | 12[0-8]) exit 1 ;;
esac
# Twice, because after a standstill of the machine the first wait is already over, whatever the process does.
for _ in 1 2; do
  ask /healthz "$patience"
  (($? > 128)) || exit 1
done
echo 'no answer: the process is killed and will be restarted'
kill -KILL $(<"/proc/$init/task/$init/children")
exit 1
