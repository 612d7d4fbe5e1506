//! The part of the report that says how every figure is defined.

use super::Findings;
use super::document::Document;

const METHOD: &[&str] = &[
    "Groups and sampling. A group is the rollouts of one task. Dynamic sampling keeps a group for \
     training when at least one scored rollout passes and at least one fails.",
    "Rankings. A ranking is a weak order of the passing rollouts: tiers, best first. Rollouts that a \
     ranking leaves out are in no pair of it. Judgements of a group whose data changed since count in \
     no figure.",
    "Tau-b (Kendall 1945) of two rankings over the rollouts that both rank: (concordant − discordant) \
     / sqrt((concordant + discordant + tied only in one)(concordant + discordant + tied only in the \
     other)). Undefined where one of them ties everything.",
    "Pairwise accuracy: of the pairs that the reference orders, the share that the other ranking \
     orders alike; a tie of the other counts half. It equals (Somers' d + 1) / 2.",
    "Top-1: Jaccard index of the two best tiers.",
    "Means are over groups; groups in which a figure is undefined are left out and counted. Intervals \
     are the 2.5 and 97.5 percentiles of the means of resampled groups (bootstrap, Efron 1979) with \
     the seed named above.",
    "Krippendorff's alpha, ordinal: a unit is a rollout, its value the average rank within its group; \
     only groups with one number of passing rollouts are pooled, since ranks of groups of different \
     size are not on one scale.",
    "Kappa (Cohen 1960) for findings: a unit is a passing rollout of a group that both raters judged; \
     the value is whether the rater made a finding of the code.",
    "Position score: tau-b between the order in which candidates were shown to a grader and its \
     ranking, and how often the first one shown is on top, against what chance gives. It tells a bias \
     only where the order shown was shuffled.",
    "Consensus: Borda (mean share of the others beaten), Kemeny (least pairwise disagreement) or \
     Bradley-Terry with a prior, as named above. Provenance: single, unanimous, adjudicated, \
     aggregate or unresolved.",
    "Redistribution. Baseline advantages A come from the estimator. Over the passing, ranked rollouts \
     with positive A (the credit), a scheme gives the place k a weight w; A' = c w A with c such that \
     the sum of the credit stays the same; tied rollouts share the mean weight of their places unless \
     named otherwise.",
    "Figures of a scheme, per group: top boost, the largest A'/A; n_eff/m, 1 / Σ share² over the \
     number m of credited rollouts; credit moved, half the L1 distance of the shares before and after; \
     variance, Σ A'² / Σ A²; length pressure, (1/n) Σ A (L − mean L) with L in tokens, of which the \
     change is told; token credit, Σ L A' / Σ L A over the credit. All schemes are compared over the \
     groups whose ranking can move credit.",
    "Expected misplaced share (misp.): a candidate's quality is a standard normal number, the grader sees it \
     with normal noise such that it orders a pair right with the measured pairwise accuracy (pooled \
     over all pairs of all submissions); m candidates of equal advantage are ranked strictly. \
     Misplaced is the mean of half the L1 distance between the shares by true and by seen ranking, \
     a share of all the credit of a group (0 to 1); the figure is its mean over the groups' m. Per \
     unit moved it is divided by the credit moved under the same model, and above 1 where more is \
     misplaced than moved. It is a property of scheme, m and accuracy, not of a group's own numbers (Thurstone 1927).",
    "Credit disagreement: half the L1 distance between the shares of the credit that the grader's and \
     people's rankings give under the scheme in use: what would go elsewhere if people were right.",
    "Out-of-scope rules look at patches only (files, lines, what other candidates and the reference \
     patch touch). A rate is the share of the candidates a rule could speak of that it speaks of; \
     precision is the share of people's verdicts on its remarks that confirm.",
    "References: M. G. Kendall, The treatment of ties in ranking problems, Biometrika 33 (1945). \
     R. H. Somers, A new asymmetric measure of association, ASR 27 (1962). J. Cohen, A coefficient of \
     agreement for nominal scales, EPM 20 (1960). K. Krippendorff, Content Analysis (2004). B. Efron, \
     Bootstrap methods, Annals of Statistics 7 (1979). L. L. Thurstone, A law of comparative judgment, \
     Psychological Review 34 (1927). R. A. Bradley and M. E. Terry, Rank analysis of incomplete block \
     designs, Biometrika 39 (1952). J. Kemeny, Mathematics without numbers, Daedalus 88 (1959).",
];

/// Writes the section.
pub fn write(found: &Findings<'_>, document: &mut Document) {
    document.section("Method");
    for paragraph in METHOD {
        document.text(*paragraph);
    }
    document.text(format!(
        "Computed by gagar {} in double precision. The same files, log, options and version give the \
         same bytes.",
        found.inputs.version
    ));
}
