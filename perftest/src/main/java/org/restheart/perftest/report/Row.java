package org.restheart.perftest.report;

import org.restheart.perftest.measure.Measurement;

/// One repetition of one subject at one level.
///
/// @param level of concurrency, or whatever else the experiment varies
/// @param repetition from 1
public record Row(String operation, String subject, int level, int repetition, Measurement measurement) {}
