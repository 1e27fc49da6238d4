/// Turns measurements into a results folder: JSON with every number, Markdown to read, plots to look at.
///
/// Entry types: [Report] and [Results].
@NullMarked
package org.restheart.perftest.report;

import org.jspecify.annotations.NullMarked;
