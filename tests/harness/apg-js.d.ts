// The part of apg-js that the ABNF tests use; the package brings no types.
declare module "apg-js" {
  /** A grammar compiled for the parser. */
  interface GrammarObject {
    readonly grammarObject: string;
  }
  interface Api {
    readonly errors: readonly unknown[];
    generate(): void;
    errorsToAscii(): string;
    toObject(): GrammarObject;
  }
  interface Parser {
    parse(grammar: GrammarObject, startRule: string, input: readonly number[]): { readonly success: boolean };
  }
  const apg: {
    readonly apgApi: new (source: string) => Api;
    readonly apgLib: { readonly parser: new () => Parser };
  };
  export default apg;
}
