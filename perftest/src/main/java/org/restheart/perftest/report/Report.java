package org.restheart.perftest.report;

import java.util.List;
import java.util.Map;
import org.restheart.perftest.measure.Machine;

/// All that is known about one run of an experiment; what the JSON file holds. Immutable.
///
/// @param question of the experiment, in a sentence
/// @param startedAt ISO 8601, UTC
/// @param commit of this repository, with `-dirty` when files differed from it
/// @param settings versions, flags, seeds, durations: name to value, in the order of reading
/// @param levelName what a row's level counts, such as `clients`
/// @param baseline the subject to which the others are compared
/// @param notes what a reader has to know besides
public record Report(
        String experiment,
        String question,
        String startedAt,
        double minutes,
        String commit,
        String command,
        Machine machine,
        Map<String, String> settings,
        String levelName,
        String baseline,
        List<Row> rows,
        List<String> notes) {}
