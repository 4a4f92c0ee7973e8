// Runs the command line from its sources. An old Node and missing packages are told in words, before the
// imports that would fail with them. Old versions of Node must be able to read this file.

const nodeMin = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);

function end(line) {
  process.stderr.write(`error: ${line}\n`);
  process.exit(1);
}

if (major < nodeMin[0] || (major === nodeMin[0] && minor < nodeMin[1]))
  end(`this is Node ${process.versions.node}; the service needs ${nodeMin.join('.')} or newer, 24 is best`);

// Loading the rest takes seconds, and `start` then begins with longer steps.
const args = process.argv.slice(2);
if (args[0] === 'start' && !args.some((each) => each === '--help' || each === '-h'))
  process.stdout.write('starting the service\n');

function refuse(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  end('the packages are not installed: run `npx -y pnpm@12 install` in this folder first');
}
await import('./types.mjs').catch(refuse);
await import('./src/main.ts').catch(refuse);
