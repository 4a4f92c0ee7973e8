/** The version of the contract, sent as X-API-Version. */
export const apiVersion = 'v1';
