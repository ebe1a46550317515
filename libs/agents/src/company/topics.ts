// Pure: what a question is about, by the documented table of keywords; and which roles sit at a board meeting on it.
import type { CsuiteRole } from "./owners.ts";

/** Topics that can be calculated. The first owner is asked when someone else gets the question. */
export interface Topic {
  readonly name: TopicName;
  readonly owners: readonly [CsuiteRole, ...CsuiteRole[]];
  readonly words: RegExp;
  /** Topics whose words this one includes: they do not count beside it. */
  readonly covers?: readonly TopicName[];
}

export type TopicName =
  | "hiring-cost"
  | "time-to-hire"
  | "hiring-runway"
  | "runway"
  | "offset"
  | "market"
  | "pricing"
  | "ltv"
  | "cac"
  | "churn"
  | "pipeline"
  | "revenue"
  | "delivery"
  | "roadmap"
  | "capacity"
  | "marketing"
  | "compliance"
  | "security"
  | "headcount"
  | "priorities";

const HIRE =
  /\b(?:hir(?:e|es|ing)|recruit(?:s|ing)?|new hires?|grow the team|add(?:ing)? (?:\d+|\w+) (?:more |new |senior )?(?:engineers?|developers?|reps?|people|sales\w*))\b/;

/** In order: of several that match, the first that the asked role owns leads; else the first. */
export const TOPICS: readonly Topic[] = [
  {
    name: "time-to-hire",
    owners: ["chro"],
    words:
      /\btime[- ]to[- ](?:hire|fill)\b|\bhow (?:long|fast|quickly|soon)\b[^.?!]*\b(?:hire|fill|recruit|onboard a)\w*|\bdays to (?:hire|fill)\b|\bhiring (?:speed|time)\b/,
    covers: ["hiring-runway", "headcount"],
  },
  {
    name: "hiring-cost",
    owners: ["coo"],
    words:
      /\bloaded\b|\bcosts? (?:per|of an?|of each) (?:new )?\w+ hire\b|\bcosts? per (?:hire|engineer|head|employee)\b|\bonboard(?:ing)?\b/,
    covers: ["hiring-runway", "headcount", "time-to-hire"],
  },
  {
    name: "offset",
    owners: ["cfo"],
    words:
      /\barr (?:is |do we |would )?need(?:ed)?\b|\boffset\b|\bpay for (?:itself|themselves)\b|\bbreak[- ]?even\b/,
    covers: ["hiring-runway", "runway", "revenue"],
  },
  { name: "hiring-runway", owners: ["cfo"], words: HIRE, covers: ["runway", "headcount"] },
  {
    name: "market",
    owners: ["cfo", "ceo"],
    words:
      /\bexpan(?:d|ds|ding|sion)\b|\b(?:enter|entering|launch(?:ing)? in|open(?:ing)? in)\b|\bnew (?:market|country|region)\b|\bmarket entry\b/,
    covers: ["hiring-runway", "runway", "offset"],
  },
  {
    name: "pricing",
    owners: ["cro", "cpo"],
    words: /\bpric(?:e|es|ing)\b|\bdiscounts?\b/,
    covers: ["revenue", "churn", "offset"],
  },
  {
    name: "ltv",
    owners: ["cmo"],
    words: /\bltv\b|\blifetime value\b|\bunit economics\b/,
    covers: ["cac", "churn"],
  },
  {
    name: "cac",
    owners: ["cmo"],
    words: /\bcac\b|\bacquisition costs?\b|\bpayback\b|\bcost to acquire\b/,
    covers: ["marketing"],
  },
  {
    name: "churn",
    owners: ["cro"],
    words: /\bchurn\b|\bretention\b|\bcancellations?\b|\bnrr\b/,
    covers: ["revenue"],
  },
  {
    name: "pipeline",
    owners: ["cro"],
    words: /\bpipeline\b|\bcoverage\b|\bwin rate\b|\bdeals\b|\bforecast\b|\bbookings\b/,
    covers: ["revenue"],
  },
  {
    name: "runway",
    owners: ["cfo"],
    words: /\brunway\b|\bburn\b|\bcash\b|\bhow long (?:can|do) we (?:last|survive)\b|\bafford\b/,
  },
  { name: "revenue", owners: ["cro"], words: /\barr\b|\brevenue\b|\bsales target\b|\bgrowth\b|\bquota\b/ },
  {
    name: "delivery",
    owners: ["cto"],
    words:
      /\bship(?:s|ped|ping)?\b|\bdeliver(?:ed|y)?\b|\bfinish(?:ed)?\b|\bready by\b|\brelease(?:d)?\b|\bdeadline\b|\bon time\b|\brealistic(?:ally)?\b/,
    covers: ["roadmap", "capacity"],
  },
  {
    name: "capacity",
    owners: ["cto"],
    words: /\bcapacity\b|\bvelocity\b|\btech(?:nical)?[- ]debt\b|\bbandwidth\b|\bthroughput\b/,
    covers: ["roadmap"],
  },
  {
    name: "roadmap",
    owners: ["cpo"],
    words: /\broadmap\b|\badoption\b|\bfeatures?\b|\busage\b|\bnps\b|\bproduct direction\b/,
  },
  {
    name: "marketing",
    owners: ["cmo"],
    words: /\bmarketing\b|\bleads?\b|\bcampaigns?\b|\bad spend\b|\bdemand gen\w*\b/,
  },
  {
    name: "compliance",
    owners: ["ciso"],
    words: /\bcomplian(?:ce|t)\b|\bsoc ?2\b|\biso ?27001\b|\bgdpr\b|\bcertif\w+\b|\baudit\b|\bregulat\w+\b/,
  },
  {
    name: "security",
    owners: ["ciso"],
    words:
      /\bincidents?\b|\bsecurity (?:risk|posture|findings?|state|incident)|\bbreach\w*\b|\bvulnerabilit\w+\b|\buptime\b|\boutages?\b|\bsecur(?:e|ity)\b/,
  },
  {
    name: "headcount",
    owners: ["chro"],
    words:
      /\bhead ?count\b|\bhow many people\b|\battrition\b|\bopen (?:positions|roles)\b|\bteam size\b|\bstaff(?:ing)?\b/,
  },
  {
    name: "priorities",
    owners: ["ceo"],
    words: /\bpriorit\w+\b|\bstrateg\w+\b|\bvision\b|\bfocus on\b|\bgoals?\b/,
  },
];

/** Topics of a question in the table's order, those covered by another left out. */
export function topicsOf(question: string): readonly Topic[] {
  const lower = question.toLowerCase();
  const matched = TOPICS.filter((topic) => topic.words.test(lower));
  const covered = new Set<TopicName>();
  for (const topic of matched) {
    if (covered.has(topic.name)) continue;
    for (const name of topic.covers ?? []) covered.add(name);
  }
  return matched.filter((topic) => !covered.has(topic.name));
}

/** Board topics and their roles (market expansion, product direction, hiring/organisation, pricing, technology). */
const BOARD: readonly {
  readonly topic: BoardTopic;
  readonly words: RegExp;
  readonly roles: readonly CsuiteRole[];
}[] = [
  {
    topic: "market expansion",
    words:
      /\bexpan(?:d|ds|ding|sion)\b|\b(?:enter|entering|launch(?:ing)? in|open(?:ing)? in)\b|\b(?:new|international) (?:market|country|region)s?\b|\bgo[- ]to[- ]market\b/,
    roles: ["ceo", "cmo", "cfo", "cro", "coo"],
  },
  {
    topic: "pricing",
    words: /\bpric(?:e|es|ing)\b|\bdiscounts?\b|\bpackag(?:e|es|ing)\b/,
    roles: ["cmo", "cfo", "cro", "cpo"],
  },
  {
    topic: "hiring",
    words:
      /\bhir(?:e|es|ing)\b|\brecruit\w*\b|\borgani[sz]ation\b|\breorgani[sz]\w*\b|\bhead ?count\b|\blayoffs?\b|\bteam\b/,
    roles: ["ceo", "chro", "cfo", "coo"],
  },
  {
    topic: "technology",
    words:
      /\btechnolog\w+\b|\barchitecture\b|\bmigrat\w+\b|\brewrite\b|\bplatform\b|\bcloud\b|\btech(?:nical)?[- ]debt\b|\bsecurity\b|\binfrastructure\b/,
    roles: ["cto", "cpo", "cfo", "ciso"],
  },
  {
    topic: "product direction",
    words: /\bproducts?\b|\broadmap\b|\bfeatures?\b|\bship\b|\bbuild\b|\bship(?:ping)?\b/,
    roles: ["ceo", "cpo", "cto", "cmo"],
  },
];

export type BoardTopic =
  | "market expansion"
  | "product direction"
  | "hiring"
  | "pricing"
  | "technology"
  | "general";

/** Characters of a board's question that are searched. */
const READ = 2_000;

/** What a board's question is about: the first that matches in the order above; `general` where none does. */
export function boardTopicOf(question: string): BoardTopic {
  const lower = question.slice(0, READ).toLowerCase();
  return BOARD.find((row) => row.words.test(lower))?.topic ?? "general";
}

/** Roles by topic; for a topic of no row those whose numbers every decision touches. */
export function rolesForTopic(question: string): readonly CsuiteRole[] {
  const topic = boardTopicOf(question);
  return BOARD.find((row) => row.topic === topic)?.roles ?? ["ceo", "cfo", "cro", "cto", "coo"];
}
