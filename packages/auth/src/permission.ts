/** The contract's security ids. */
export const Permission = {
  ItemMasterList: 11,
  LocateMoveUnits: 15,
  NegativeAdjustment: 88,
  PositiveAdjustment: 95,
  ModifyItemMaster: 116,
} as const;
export type Permission = (typeof Permission)[keyof typeof Permission];

/** What the contract calls each. */
export const permissionNames: Record<Permission, string> = {
  [Permission.ItemMasterList]: 'Item Master List',
  [Permission.LocateMoveUnits]: 'Locate/Move Units',
  [Permission.NegativeAdjustment]: 'Negative Adjustment',
  [Permission.PositiveAdjustment]: 'Positive Adjustment',
  [Permission.ModifyItemMaster]: 'Create/Modify Item Master Record',
};

/** What is needed of a client: one permission, all of several, or any of several. */
export type Needed = Permission | readonly Permission[] | { anyOf: readonly Permission[] };

/** What each kind of stock transaction needs. */
export const transactionPermission = {
  receive: Permission.PositiveAdjustment,
  move: Permission.LocateMoveUnits,
  issue: Permission.NegativeAdjustment,
  count: [Permission.PositiveAdjustment, Permission.NegativeAdjustment],
} as const satisfies Record<string, Needed>;

/** What undoing each kind of stock transaction needs: the permission of its opposite. */
export const reversalPermission = {
  receive: Permission.NegativeAdjustment,
  issue: Permission.PositiveAdjustment,
  move: Permission.LocateMoveUnits,
  count: [Permission.PositiveAdjustment, Permission.NegativeAdjustment],
  // It is refused whoever asks.
  reverse: [],
} as const satisfies Record<string, Needed>;

/** Without any of these a client can undo nothing. */
export const anyReversal = {
  anyOf: [Permission.LocateMoveUnits, Permission.NegativeAdjustment, Permission.PositiveAdjustment],
} as const satisfies Needed;
