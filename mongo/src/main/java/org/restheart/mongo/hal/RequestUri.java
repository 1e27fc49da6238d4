package org.restheart.mongo.hal;

import java.util.ArrayList;
import java.util.OptionalLong;
import java.util.Set;
import org.restheart.http.Query;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.AfterParameter;
import org.restheart.mongo.parameter.Paging;

/// The request's URI and its variations in links, with parameters decoded and sorted by name.
record RequestUri(String path, Query query) {
    private static final Set<String> SLICE = Set.of("page", "pagesize", AfterParameter.NAME);

    static RequestUri of(DataRequest request) {
        return new RequestUri(request.selfPath(), request.http().query());
    }

    String self() {
        var parameters = parameters(Set.of());
        return parameters.isEmpty() ? path : path + "?" + parameters;
    }

    private String firstPage(int pageSize) {
        return slice("pagesize=" + pageSize);
    }

    private String page(long page, int pageSize) {
        return slice("page=" + page + "&pagesize=" + pageSize);
    }

    /// The same query for another slice.
    private String slice(String slice) {
        var others = parameters(SLICE);
        return path + "?" + slice + (others.isEmpty() ? "" : "&" + others);
    }

    private String parameters(Set<String> except) {
        var all = new ArrayList<String>();
        query.names().stream()
                .sorted()
                .filter(name -> !except.contains(name))
                .forEach(name -> query.all(name).forEach(value -> all.add(name + "=" + value)));
        return String.join("&", all);
    }

    /// @param path starts with `/`
    static String below(String path, String segment) {
        return path.endsWith("/") ? path + segment : path + "/" + segment;
    }

    String below(String segment) {
        return below(path, segment);
    }

    /// The paging links of a list.
    ///
    /// @param size of the whole list, if it is known
    void addPages(Links links, Paging paging, OptionalLong size) {
        int pageSize = paging.pageSize();
        if (pageSize == 0) {
            return;
        }
        links.add("first", firstPage(pageSize));
        if (query.has(AfterParameter.NAME)) {
            return; // the number of that page is unknown
        }
        if (size.isPresent()) {
            long last = HalHead.pages(size.getAsLong(), pageSize);
            links.add("last", last > 1 ? page(last, pageSize) : firstPage(pageSize));
            if (paging.page() < last) {
                links.add("next", page(paging.page() + 1L, pageSize));
            }
        } else {
            links.add("next", page(paging.page() + 1L, pageSize));
        }
        if (paging.page() > 1) {
            links.add("previous", page(paging.page() - 1L, pageSize));
        }
    }
}
