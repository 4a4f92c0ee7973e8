import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Loaded before a command: its file system has no hard links, like FAT.
fs.promises.link = async () => {
  const message = 'EPERM: operation not permitted, link';
  throw Object.assign(new Error(message), { code: 'EPERM', syscall: 'link' });
};
syncBuiltinESMExports();
