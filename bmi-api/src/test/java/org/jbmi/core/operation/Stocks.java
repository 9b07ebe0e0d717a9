package org.jbmi.core.operation;

import org.jspecify.annotations.Nullable;

/** Takes and frees operations as posts and reports do. */
final class Stocks {
    private Stocks() {}

    static @Nullable CoreOperation take(OperationStock stock) {
        stock.lock.lock();
        CoreOperation operation;
        try {
            operation = stock.take();
        } finally {
            stock.lock.unlock();
        }
        return operation != null ? operation : stock.fetch();
    }

    static void free(OperationStock stock, CoreOperation operation) {
        boolean tooMany;
        stock.lock.lock();
        try {
            stock.free(operation);
            tooMany = stock.hasTooMany();
        } finally {
            stock.lock.unlock();
        }
        if (tooMany) {
            stock.giveBack();
        }
    }
}
