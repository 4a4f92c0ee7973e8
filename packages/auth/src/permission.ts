/** The security ids of the contract. */
export const Permission = {
  ItemMasterList: 11,
  LocateMoveUnits: 15,
  NegativeAdjustment: 88,
  PositiveAdjustment: 95,
  ModifyItemMaster: 116,
} as const;
export type Permission = (typeof Permission)[keyof typeof Permission];

/** The contract's name for each permission. */
export const permissionNames: Record<Permission, string> = {
  [Permission.ItemMasterList]: 'Item Master List',
  [Permission.LocateMoveUnits]: 'Locate/Move Units',
  [Permission.NegativeAdjustment]: 'Negative Adjustment',
  [Permission.PositiveAdjustment]: 'Positive Adjustment',
  [Permission.ModifyItemMaster]: 'Create/Modify Item Master Record',
};

/** The permissions that a client needs: one, all of several, or any of several. */
export type Needed = Permission | readonly Permission[] | { anyOf: readonly Permission[] };

/** The permission for each kind of stock transaction. */
export const transactionPermission = {
  receive: Permission.PositiveAdjustment,
  move: Permission.LocateMoveUnits,
  issue: Permission.NegativeAdjustment,
  count: [Permission.PositiveAdjustment, Permission.NegativeAdjustment],
} as const satisfies Record<string, Needed>;

/** The permission to reverse each kind of stock transaction: that of its opposite. */
export const reversalPermission = {
  receive: Permission.NegativeAdjustment,
  issue: Permission.PositiveAdjustment,
  move: Permission.LocateMoveUnits,
  count: [Permission.PositiveAdjustment, Permission.NegativeAdjustment],
  // No permission is needed, because this is always refused.
  reverse: [],
} as const satisfies Record<string, Needed>;

/** A client without any of these cannot reverse anything. */
export const anyReversal = {
  anyOf: [Permission.LocateMoveUnits, Permission.NegativeAdjustment, Permission.PositiveAdjustment],
} as const satisfies Needed;
