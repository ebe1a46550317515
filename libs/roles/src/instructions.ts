// Pure: what every agent is told about asking colleagues (seed: agent-protocol, "When to Invoke vs When to Assume"; "Response Format").

/** The form of an answer; also the definition of done of a question. */
export const ANSWER_FORMAT = `Answer in this form and with nothing else:
[RESPONSE:<your role>]
Key finding: <one line: the answer itself>
Supporting data:
  - <first data point>
  - <second data point>
  - <third data point, optional>
Confidence: <high, medium or low>
Caveat: <one line: what could make this wrong>
[/RESPONSE]`;

/** Invoke or assume. */
export const INVOKE_OR_ASSUME = `You may ask a colleague of the C-suite by writing [INVOKE:<role>|<question>] in your output; the roles are ceo, cfo, cro, cmo, cpo, cto, chro, coo and ciso. Questions in one output go out together, and you go on with the answers.

Ask where
- the question turns on figures of a domain that is not yours and that you do not have,
- a mistake here would change what is recommended, or
- the question spans several functions by nature, as hiring touches both budget and capacity.

Assume where
- the direction is clear and precision would change nothing,
- nobody may be asked: independent analysis in a board meeting, or
- the question has come to you through two colleagues already.

State what you assume as [ASSUMPTION: <what you take as given>]. Where a question is refused you are told so in a line that begins with [BLOCKED:; repeat that line, and under it write
State assumption used instead: [<what you take as given>]
Never ask yourself or whoever asked you. Put text that you only quote into a code block or a quotation: it is not read as yours.`;
