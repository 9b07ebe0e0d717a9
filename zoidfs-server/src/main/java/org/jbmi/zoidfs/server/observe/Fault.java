package org.jbmi.zoidfs.server.observe;

/**
 * What can fail in the server, with the sentence for its log. They are objects, because the first
 * use of a text in a handler needs memory, and the handler of an {@link OutOfMemoryError} must go
 * on.
 */
public enum Fault {
    REQUEST_TAKEN("A request could not be taken"),
    REQUEST_BEGUN("A request could not be begun"),
    REQUEST_DECODED("A request could not be decoded"),
    REQUEST_RUN("A request could not be run"),
    REQUEST("A worker failed on a request"),
    EVENT("An event could not be handled"),
    TURN("The ordering stage could not go on"),
    DATA_STEP("A read or write failed in the server"),
    DATA_GOES_ON("A read or write could not go on"),
    DATA_ANSWER("A read or write could not be answered"),
    APPEND_PLACES("Appends could not be given their places"),
    APPEND_GOES_ON("An append could not go on"),
    FILE_OPERATION_END("An operation on a file could not be ended"),
    FILE("A worker failed on a file"),
    FILE_LENGTH("A worker failed on the length of a file"),
    UNUSED_FILES("A worker failed on unused files"),
    PAYLOAD_FREED("Payload memory could not be freed"),
    DISCONNECT("A client could not be disconnected"),
    WORKER("A worker failed"),
    WORKER_TASK("A worker could not be given its task"),
    POLL("BMI refused to be polled"),
    STAGE("A stage failed"),
    STAGE_START("A stage failed at its start"),
    STAGE_END("A stage failed at its end"),
    STAGE_GOES_ON("A stage goes on"),
    STAGES_LATE("The stages did not end in time");

    private final String sentence;

    Fault(String sentence) {
        this.sentence = sentence;
    }

    /** The sentence, without its full stop. */
    String sentence() {
        return sentence;
    }
}
