import { type BackupAge, watchBackupAge } from './backup-age.ts';
import { type CertificateLeft, watchCertificate } from './certificate-left.ts';
import { type OldestChange, watchOldestChange } from './changes/oldest-change.ts';
import type { Database } from './database.ts';

/** Looks now and then, for the metrics alone. */
export type Watches = {
  backups: BackupAge;
  oldestChange: OldestChange;
  /** null: CERTIFICATE_URL is unset. */
  certificate: CertificateLeft | null;
  stop(): void;
};

/** Begins to look. */
export function startWatches(
  config: { CERTIFICATE_URL?: string | undefined },
  { operations }: Database,
): Watches {
  const backups = watchBackupAge(operations);
  const oldestChange = watchOldestChange(operations);
  const certificate = watchCertificate(config.CERTIFICATE_URL);
  return {
    ...{ backups, oldestChange, certificate },
    stop() {
      backups.stop();
      certificate?.stop();
      oldestChange.stop();
    },
  };
}
