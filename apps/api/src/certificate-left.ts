import { readCertificateEnd } from '@inventory/process/certificate-end';
import { lookEvery } from '@inventory/process/look-every';

/** How long the certificate that callers see is good for, for the metrics. */
export type CertificateLeft = {
  /** In seconds, by the host that shows it; negative when it has ended. Empty while nobody has answered. */
  seconds(): Record<string, number>;
  stop(): void;
};

const lookEveryMs = 60_000;

/**
 * Looks at the address of CERTIFICATE_URL at intervals; null: it is unset. While nobody answers there, the
 * last end seen counts.
 */
export function watchCertificate(url: string): CertificateLeft;
export function watchCertificate(url: string | undefined): CertificateLeft | null;
export function watchCertificate(url: string | undefined): CertificateLeft | null {
  if (url === undefined) return null;
  let endsAt: number | null = null;
  const look = async () => {
    endsAt = await readCertificateEnd(url).catch(() => endsAt);
  };
  const stop = lookEvery(lookEveryMs, look);
  void look();
  return {
    seconds: () => (endsAt === null ? {} : { [new URL(url).host]: (endsAt - Date.now()) / 1000 }),
    stop,
  };
}
