/** The place of a value in a compiled statement. */
export class Parameter {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}
