// Pure: significant words of English and French prose, for the lexical check of a definition of done.

const STOP_WORDS = new Set(
  (
    "a an the of to in on at by for from into per via as is are be been being was were it its this that these those there their our your all any each every no not " +
    "must shall should will can may has have having do does done which who what when where than then or nor but if so such only also very more most least " +
    "un une le la les de des du au aux en dans sur par pour ce cet cette ces son sa ses leur leurs notre nos votre vos est sont etre tout toute tous toutes chaque " +
    "ne pas ou mais si qui que quoi dont doit doivent peut ont plus moins tres sans aussi without within using"
  ).split(" "),
);

/** Endings of derived words, longest first; a stem of four letters must stay. */
const DERIVED = [
  "ations",
  "ation",
  "ements",
  "ement",
  "ments",
  "ment",
  "ings",
  "ing",
  "ies",
  "ees",
  "ed",
  "ee",
  "er",
  "e",
  "y",
];
const DERIVED_STEM = 4;
/** The ending of a plural after at least three letters: `fixes`, `files`, but not `class`. */
const PLURAL = /(?<=.(?:.x|ss|sh|ch|.z))es$|(?<=..[^s])s$/;

/** Lower case without accents, white space as single blanks. */
export function normalise(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}

/** The words of normalised text. */
export function wordsOf(normalised: string): string[] {
  return normalised.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Words that carry meaning, as written but normalised: no stop words, nothing under three letters except abbreviations (`PR`, `CI`). */
export function significantTerms(text: string): string[] {
  const terms = (
    text
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter(
    (word) => (word.length > 2 || /^[A-Z][A-Z0-9]$/.test(word)) && !STOP_WORDS.has(word.toLowerCase()),
  );
  return [...new Set(terms.map((word) => word.toLowerCase()))];
}

/** A crude stem, the same for `recommendation`, `recommendations` and `recommended`. */
export function stem(word: string): string {
  const derived = DERIVED.find(
    (ending) => word.endsWith(ending) && word.length - ending.length >= DERIVED_STEM,
  );
  const cut = derived === undefined ? word.replace(PLURAL, "") : word.slice(0, -derived.length);
  return cut === word ? word : stem(cut);
}

/** True where one of the words is a form of the term: the same stem, or up to three letters more (`migrate`, `migration`). */
export function mentions(words: readonly string[], term: string): boolean {
  const root = stem(term);
  return words.some((word) => {
    const other = stem(word);
    return (
      other === root ||
      (root.length >= DERIVED_STEM && other.startsWith(root) && other.length <= root.length + 3)
    );
  });
}
