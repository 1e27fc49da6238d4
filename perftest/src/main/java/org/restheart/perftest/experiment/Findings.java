package org.restheart.perftest.experiment;

import java.util.List;
import java.util.Map;

/// What an experiment hands to its report. Immutable.
///
/// @param question in a sentence
/// @param levelName what its levels count, such as `clients`
/// @param baseline the subject to which the others are compared
/// @param settings besides those of the options
/// @param notes what a reader has to know besides
record Findings(
        String experiment,
        String question,
        String levelName,
        String baseline,
        Map<String, String> settings,
        Journal journal,
        List<String> notes) {

    /// Of clients beside the driver, without notes.
    static Findings besideDriver(String experiment, String question, Map<String, String> settings, Journal journal) {
        return new Findings(experiment, question, "clients", "driver", settings, journal, List.of());
    }

    Findings with(List<String> notes) {
        return new Findings(experiment, question, levelName, baseline, settings, journal, notes);
    }
}
