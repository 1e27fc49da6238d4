/// The console in the browser: [BrowserPages] serves its files, which are a client of the public API.
///
/// Must not know: MongoDB, accounts, how requests arrive.
@NullMarked
package org.restheart.console;

import org.jspecify.annotations.NullMarked;
