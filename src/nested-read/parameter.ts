/** The place of a value in a statement that is compiled once for all values. */
export class Parameter {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}
