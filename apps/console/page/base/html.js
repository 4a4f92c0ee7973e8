import htm from 'htm';
import { h } from 'preact';

/** Markup as a tagged template. Values become text, never markup. */
export const html = htm.bind(h);
