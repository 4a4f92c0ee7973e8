// pnpm bench <what> [options]: the benchmarks, each a file beside this one.
const benches = {
  write: 'the ways of writing stock beside each other',
  read: 'the cost of a page, beside bare SQL and COUNT + OFFSET',
  'stock-at': "the stock as it was beside today's levels",
  batches: 'many operations in one call beside the same one by one',
  scan: '500 codes in one call beside a lone receipt',
  changes: 'what following changes costs, and what it costs others',
  neighbour: "a client's waits beside another's costliest lists",
  overload: 'three times the load that the service can take, then no Redis',
  indexes: 'the processor time that each index costs a receipt',
  growth: 'the bytes of a transaction, and the cost of an old database',
  soak: 'memory over an hour of requests',
};

const [what = '--help'] = process.argv.splice(2, 1);
if (Object.hasOwn(benches, what)) await import(`./${what}.ts`);
else if (what === '--help') process.stdout.write(help());
else {
  process.stderr.write(`error: there is no benchmark ${what}; see pnpm bench --help\n`);
  process.exit(2);
}

function help(): string {
  const lines = Object.entries(benches).map(([name, about]) => `  ${name.padEnd(10)}  ${about}`);
  return ['Usage: pnpm bench <what> [options]', '', 'Measures one of:', '', ...lines, ''].join('\n');
}
