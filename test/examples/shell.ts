import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { programOf } from '../harness/compiled.ts';
import { root } from './documents.ts';

const program = programOf(join(root, 'apps/admin/src/main.ts'));

// The programs of the examples, as they are here: the command line runs from the sources, on the databases of
// the test. Commands that need the owner of the tables get their own database: an empty one to restore into,
// a copy of the demo for the rest.
const programs = `set -euo pipefail
npx() {
  case "$1 $2" in '-y pnpm@12') ;; *) echo "no such step: npx $*" >&2; return 1 ;; esac
  shift 2
  if [ "$1" = --silent ]; then shift; fi
  pnpm "$@"
}
pnpm() {
  case "$1" in
    inventory) shift; inventory "$@" ;;
    *) echo "no such step: pnpm $*" >&2; return 1 ;;
  esac
}
inventory() {
  case "$1" in
    restore) DATABASE_URL=$EMPTY_URL run "$@" ;;
    migrate | restored | seed) DATABASE_URL=$OWNER_URL run "$@" ;;
    *) run "$@" ;;
  esac
}
run() { "$NODE" $PROGRAM "$@"; }
./inventory() { inventory "$@"; }
# A cluster takes what is there: each folder and file that a command names.
kubectl() {
  for word in "$@"; do
    case "$word" in
      --from-file=*) word=\${word#--from-file=}; test -s "\${word#*=}" ;;
      deploy/*) test -e "$CHECKOUT/$word" ;;
    esac
  done
  case "$*" in *jsonpath=*) printf password | base64; return ;; esac
  echo "kubectl $*"
  if [ "$1" = kustomize ]; then cat "$CHECKOUT"/deploy/kubernetes/base/*.yaml; fi
  case "$*" in *' -f -') cat ;; esac
}
docker() {
  case "$1 $2" in
    'compose run')
      shift 2
      while [ "$1" != admin ] && [ "$1" != migrate ]; do shift; done
      # Without arguments it runs its command in the compose file; the other tests create the logins.
      if [ "$*" = migrate ]; then set -- migrate - migrate; fi
      if [ "$1" = migrate ]; then shift; fi
      shift
      inventory "$@"
      ;;
    'compose up') ;;
    *) echo "no such step: docker $*" >&2; return 1 ;;
  esac
}
`;

/** The output of a shell; fails with it when any of its commands ends with an error. */
export function runShell(text: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['-c', programs + text],
      {
        cwd: root,
        env: { ...process.env, NODE: process.execPath, CHECKOUT: root, PROGRAM: program.join(' '), ...env },
        maxBuffer: 2 ** 24,
      },
      (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${text}\n${stdout}${stderr}`)),
    );
  });
}
