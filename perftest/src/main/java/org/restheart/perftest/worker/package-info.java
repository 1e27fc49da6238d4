/// Runs the subjects in processes of their own: one JSON line with a task in, one JSON line with its result out.
///
/// Entry type: [Worker]. A worker ends when its standard input does, so none survives the run that started it.
@NullMarked
package org.restheart.perftest.worker;

import org.jspecify.annotations.NullMarked;
