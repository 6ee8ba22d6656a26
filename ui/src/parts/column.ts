/** A column of a grid. */
export interface Column {
  readonly id: string;
  readonly title: string;
  /** A track of `grid-template-columns`. */
  readonly width: string;
  readonly end?: boolean;
  /** Its width in px at 100 % zoom, where it can be sized. */
  readonly size?: number;
  /** Whether the order of rows is that of this column. */
  readonly orders?: boolean;
}
