// Pure: the sample that `firm init` writes to .firm/company.yaml; every key of the schema is explained by it.

export const SAMPLE_COMPANY_YAML = `# What the C-suite knows about the company. Answers are calculated from it; it never leaves this machine.
# Every key is optional: a role says which number is missing. Percentages are percent (80, not 0.8);
# money is in \`currency\`; an unknown key is an error. Replace the sample numbers with yours.
name: Sample Company
currency: USD              # ISO 4217
as_of: 2026-11-30          # date of the figures

finance:                   # owner: cfo
  cash: 3920000            # money in the bank
  monthly_burn: 280000     # money a month, paid out less received
  gross_margin_pct: 80
  runway_floor_months: 9   # below this the company takes on no new cost

revenue:                   # owner: cro
  arr: 4200000             # money a year under contract
  arr_growth_pct: 45       # a year
  nrr_pct: 108             # net revenue retention, twelve months
  churn_pct: 9             # of ARR, a year
  customers: 140
  arpa: 30000              # money a year, average account
  quota_per_rep: 600000    # money a year, new ARR of a ramped representative
  price_elasticity: 0.6    # percent of customers lost for each percent of a price increase

pipeline:                  # owner: cro; ARR of deals that could close in the next 90 days
  open_90d: 2700000
  weighted_90d: 900000     # left out: sum of value x probability of the stages below
  target_90d: 800000       # new ARR planned
  win_rate_pct: 24
  sales_cycle_days: 75
  stages:
    - { name: Discovery, value: 1200000, probability_pct: 10 }
    - { name: Evaluation, value: 900000, probability_pct: 40 }
    - { name: Negotiation, value: 600000, probability_pct: 70 }

people:                    # owner: chro; functions: engineering, sales, marketing, product, support, security, operations, finance, people
  headcount: { engineering: 14, sales: 6, marketing: 3, product: 3, support: 4, operations: 2, finance: 1, people: 1 }
  open_positions: { engineering: 2, sales: 1 }
  time_to_hire_days:       # from opening a position to the first day of work; one number, or one a seniority
    engineering: { junior: 35, mid: 50, senior: 75, lead: 110 }
    sales: 45
  attrition_pct: 12        # a year
  offer_acceptance_pct: 78

operations:                # owner: coo
  loaded_cost_monthly:     # money a month for one person: salary, contributions, tools, space
    { engineering: 20000, sales: 17000, marketing: 14000, product: 18000, support: 9000 }
  onboarding_cost_per_hire: 30000   # once: recruiting, equipment, onboarding
  ramp_months: { engineering: 3, sales: 5 }
  onboarding_capacity_per_month: 3

engineering:               # owner: cto
  engineers: 14
  focus_pct: 60            # of their time, on roadmap work
  tech_debt_pct: 15        # of their time
  estimate_overrun_pct: 25 # by which work exceeded estimates
  velocity_points: 62      # a sprint, average of five
  sprint_weeks: 2

product:                   # owner: cpo
  weekly_active_pct: 64    # of accounts
  feature_adoption_pct: 38 # of accounts, for what was shipped last
  nps: 41
  roadmap:                 # in order of priority; remaining_weeks are person-weeks as estimated
    - { name: Single sign-on, remaining_weeks: 10, due: 2026-12-31, status: in_progress }
    - { name: German localisation, remaining_weeks: 14, due: 2027-03-31, status: planned }
    - { name: Usage billing, remaining_weeks: 30, due: 2027-06-30, status: planned }

marketing:                 # owner: cmo
  monthly_spend: 60000
  leads_per_month: 300
  lead_to_customer_pct: 1.5
  cac: 24000               # all sales and marketing cost to win one customer

security:                  # owner: ciso
  incidents_90d: 2
  cost_per_incident: 15000
  mttr_hours: 3.5
  uptime_90d_pct: 99.92
  open_critical_findings: 0
  open_high_findings: 3
  compliance:              # status: certified, in_progress, planned, expired
    - { name: SOC 2, status: certified, due: 2027-08-31 }
    - { name: ISO 27001, status: in_progress, due: 2027-05-31 }

markets:                   # costs: coo; expected ARR: cro
  - name: Germany
    entry_cost: 250000     # once: entity, localisation, launch
    monthly_cost: 45000
    launch_months: 5       # from the start to the first sale
    expected_arr: 1500000  # twelve months after launch
    requires: [ISO 27001]  # names under security.compliance

strategy:                  # owner: ceo
  priorities:
    - Reach a growth of 45% at a churn below 9%
    - Win the first ten customers in Germany
    - Ship usage billing

# What a role may assume where it cannot ask the owner: in a board meeting's phase 2, or when a call is refused.
# Keys as above; what is not here has a neutral default or none, and the answer says which.
assumptions:
  finance.gross_margin_pct: 78
  operations.loaded_cost_monthly.engineering: 19000
  operations.onboarding_cost_per_hire: 25000
  operations.ramp_months.engineering: 3
  pipeline.weighted_90d: 600000
  revenue.arpa: 30000
  markets.Germany.entry_cost: 300000
  markets.Germany.monthly_cost: 50000
  markets.Germany.expected_arr: 1000000
`;
