import { connect } from 'node:tls';

const answerWithinMs = 3000;

/** The days that a certificate should have left: two tries of a monthly renewal, and time to repair it. */
export const certificateDaysMin = 14;

/**
 * When the certificate ends that a server shows at an https address, in milliseconds since 1970. Only its
 * dates are looked at: it may be of an authority that this machine does not know. Fails if no server
 * answers there with TLS.
 */
export function readCertificateEnd(url: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const servername = /^[\d.]+$|:/.test(host) ? '' : host;
    const socket = connect({ host, port: Number(port || 443), servername, rejectUnauthorized: false });
    socket.setTimeout(answerWithinMs, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
  });
}
