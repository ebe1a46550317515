// Questions and their topics; board questions and their roles.
import { describe, expect, it } from "vitest";
import { rolesForTopic, topicsOf } from "./topics.ts";

describe("topics of a question", () => {
  it.each([
    ["What's the burn rate impact of hiring 5 engineers in Q3?", ["hiring-runway"]],
    ["Can we realistically ship this feature by end of quarter?", ["delivery"]],
    ["What's our typical time-to-hire for senior engineers?", ["time-to-hire"]],
    ["What does our pipeline look like for the next 90 days?", ["pipeline"]],
    ["what does our pipeline mean for hiring 5 engineers in Q3", ["hiring-runway", "pipeline"]],
    ["What does hiring 5 engineers in Q3 do to runway?", ["hiring-runway"]],
    ["How much ARR is needed to offset hiring 5 engineers in Q3?", ["offset"]],
    ["How long does it take to hire an engineer?", ["time-to-hire"]],
    ["What is the fully loaded cost of an engineer?", ["hiring-cost"]],
    ["How long is our runway at current burn?", ["runway"]],
    ["Should we expand to Germany in Q3?", ["market"]],
    ["What happens if we raise prices by 10%?", ["pricing"]],
    ["Is our LTV to CAC healthy?", ["ltv"]],
    ["How long is our CAC payback?", ["cac"]],
    ["What does churn cost us?", ["churn"]],
    ["How much ARR do we have?", ["revenue"]],
    ["What is our engineering capacity next quarter?", ["capacity"]],
    ["How does the roadmap look?", ["roadmap"]],
    ["How many leads do we get?", ["marketing"]],
    ["Are we SOC 2 certified?", ["compliance"]],
    ["What is our incident risk?", ["security"]],
    ["How many people work here?", ["headcount"]],
    ["What has priority this year?", ["priorities"]],
    ["What is the meaning of life?", []],
  ])("%s", (question, names) => expect(topicsOf(question).map(({ name }) => name)).toEqual(names));
});

describe("roles of a board meeting", () => {
  it.each([
    ["Should we expand to Germany in Q3?", "ceo cmo cfo cro coo"],
    ["Which product direction do we take?", "ceo cpo cto cmo"],
    ["Should we hire 5 engineers?", "ceo chro cfo coo"],
    ["Should we raise prices?", "cmo cfo cro cpo"],
    ["Should we migrate our architecture to the cloud?", "cto cpo cfo ciso"],
    ["What now?", "ceo cfo cro cto coo"],
  ])("%s", (question, roles) => expect(rolesForTopic(question).join(" ")).toBe(roles));
});
