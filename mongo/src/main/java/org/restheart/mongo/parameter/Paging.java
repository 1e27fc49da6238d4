package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.judged.JudgedRequest.Slice;

/// The requested slice of a result.
///
/// @param page counts from 1
/// @param pageSize documents per page; 0 for none
/// @param explicit whether the client sent the page or its size
/// @param skip number of documents before the page
public record Paging(int page, int pageSize, boolean explicit, long skip) {
    static Paging of(Slice slice) {
        return new Paging(1, slice.limit(), true, slice.skip());
    }

    /// @throws org.restheart.http.ProblemException 400
    static Paging parse(Query query, int defaultPageSize, int maxPageSize) {
        int pageSize = number(query, "pagesize", defaultPageSize);
        if (pageSize < 0 || pageSize > maxPageSize) {
            throw new ProblemException(
                    PARAMETER_INVALID, "illegal pagesize parameter, pagesize must be >= 0 and <= " + maxPageSize);
        }
        int page = number(query, "page", 1);
        if (page < 1) {
            throw new ProblemException(PARAMETER_INVALID, "illegal page parameter, it is < 1");
        }
        return new Paging(page, pageSize, query.has("page") || query.has("pagesize"), (page - 1L) * pageSize);
    }

    private static int number(Query query, String name, int otherwise) {
        var text = query.first(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            return Integer.parseInt(text.get());
        } catch (NumberFormatException _) {
            throw Problem.of(PARAMETER_INVALID, "illegal " + name + " parameter, it is not a number")
                    .because("java.lang.NumberFormatException", "For input string: '" + text.get() + "'")
                    .raise();
        }
    }
}
