// What the search shows first: pages for people who use Pullback, then those for people who change it.
const SITE_WEIGHTS = {
  "guide/": 6,
  "api/": 4,
  "constructs": 3,
  "library": 3,
  "refusals": 2,
  "LANGUAGE": 2,
  "adding/": -12,
  "BENCHMARKS": -12,
  "DESIGN": -12,
  "GLOSSARY": -10,
  "HISTORY": -14,
  "PAPERS": -12,
  "PASSES": -12,
  "PATH": -12,
  "REPLAY": -12,
  "TESTING": -12,
  "changelog": -8
};

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const found = Object.entries(SITE_WEIGHTS).find(([start]) => docname.startsWith(start));
    return score + (found ? found[1] : 0) + (kind === "title" ? 10 : 0);
  },
  objNameMatch: 16,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
