const families = ['PurchaseOrder', 'ShippingOrder', 'WorkOrder', 'Report'];

/** Whether a path below the base path belongs to a resource family that exists but is not part of this service yet. */
export function isOtherFamily(path: string): boolean {
  return families.includes(path.split('/')[1] ?? '');
}
