// Made from docs/openapi.yaml by "npm run client:types": change the service, not this file.
export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals
         * @description A page of animals by ascending `id`, all or those of one status. Follow `next` in the `Link` header to the end: every animal that stays meanwhile comes exactly once.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds an animal. Members that are not known are ignored. With an `Idempotency-Key` it is safe to repeat.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        /**
         * List animals: headers only
         * @description The status and the headers of `GET`, without the body.
         */
        head: operations["listPetsHead"];
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an animal
         * @deprecated
         * @description One animal by its identifier.
         *
         *     Deprecated: it is removed on 2030-12-05 and answers 410 from then on. Use `/v1/pets`.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Get an animal: headers only
         * @deprecated
         * @description The status and the headers of `GET`, without the body.
         */
        head: operations["getPetHead"];
        patch?: never;
        trace?: never;
    };
    "/store/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count animals by status
         * @description How many animals there are of each status, exact at the moment of the answer.
         */
        get: operations["getInventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Count animals by status: headers only
         * @description The status and the headers of `GET`, without the body.
         */
        head: operations["getInventoryHead"];
        patch?: never;
        trace?: never;
    };
    "/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description A page of orders by ascending `id`, all or those of one status. Follow `next` in the `Link` header to the end.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Order an animal
         * @description Places an order for an animal that is `available`, and makes it `pending`. Of simultaneous orders for one animal exactly one succeeds.
         */
        post: operations["placeOrder"];
        delete?: never;
        options?: never;
        /**
         * List orders: headers only
         * @description The status and the headers of `GET`, without the body.
         */
        head: operations["listOrdersHead"];
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order
         * @description One order by its identifier.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Get an order: headers only
         * @description The status and the headers of `GET`, without the body.
         */
        head: operations["getOrderHead"];
        /**
         * Change the status of an order
         * @description Takes an order a step further, and its animal with it: `delivered` makes the animal `sold`, `cancelled` makes it `available` again. Asking for the present status changes nothing. With `If-Match` only the order that you have seen is changed: of simultaneous changes that name one `ETag` exactly one succeeds.
         */
        patch: operations["updateOrder"];
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the calling key's usage
         * @description The plan and the limits of the key that asks, both present windows with this request counted, and what it did on each of the last 31 UTC days.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Read the calling key's usage: headers only
         * @description The status and the headers of `GET`, without the body.
         */
        head: operations["getUsageHead"];
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What every answer is that is no success: exactly these three members. */
        Error: {
            /**
             * @description What is wrong, for programs. The set is closed.
             * @enum {string}
             */
            code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request" | "unknown_pet" | "invalid_idempotency_key" | "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key" | "not_found" | "pet_not_found" | "order_not_found" | "method_not_allowed" | "request_timeout" | "pet_not_available" | "order_transition_not_allowed" | "request_in_progress" | "operation_removed" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "rate_limit_exceeded" | "api_key_banned" | "headers_too_large" | "internal_error" | "service_unavailable";
            /** @description What is wrong, for people, in one line. */
            message: string;
            /** @description The HTTP status. */
            status: number;
        };
        /** @description How many animals there are of each status; those without one are in none. */
        Inventory: {
            /**
             * Format: int64
             * @description Animals that can be ordered.
             */
            available: bigint;
            /**
             * Format: int64
             * @description Animals that are spoken for.
             */
            pending: bigint;
            /**
             * Format: int64
             * @description Animals that are sold.
             */
            sold: bigint;
        };
        NewOrder: {
            /**
             * Format: int64
             * @description The animal that is ordered.
             */
            petId: bigint;
        };
        NewPet: {
            /**
             * Format: int64
             * @description The category that the animal belongs to: any int64.
             */
            categoryId: bigint;
            /** @description Kept exactly as it was sent. */
            name: string;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description An order for one animal. */
        Order: {
            /**
             * Format: int64
             * @description Given by the service when the order is placed.
             */
            id: bigint;
            /**
             * Format: int64
             * @description The animal that is ordered.
             */
            petId: bigint;
            /**
             * Format: date-time
             * @description When the order was placed.
             */
            placedAt: string;
            status: components["schemas"]["OrderStatus"];
            /**
             * Format: date-time
             * @description When its status changed last.
             */
            updatedAt: string;
        };
        OrderChange: {
            status: components["schemas"]["OrderStatus"];
        };
        /** @description Orders by ascending `id`. */
        Orders: components["schemas"]["Order"][];
        /**
         * @description How far an order is: `placed`, then `approved`, then `delivered`; or `cancelled` from either of the first two.
         * @enum {string}
         */
        OrderStatus: "placed" | "approved" | "delivered" | "cancelled";
        /** @description An animal. */
        Pet: {
            /**
             * Format: int64
             * @description The category that the animal belongs to: any int64.
             */
            categoryId: bigint;
            /**
             * Format: int64
             * @description Given by the service when the animal is added.
             */
            id: bigint;
            /** @description Kept exactly as it was sent. */
            name: string;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description Animals by ascending `id`. */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description Whether an animal can be ordered, is ordered, or is sold.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description The calling key's plan, its limits in force, and what it used. */
        Usage: {
            day: components["schemas"]["UsageWindow"];
            /** @description The last 31 UTC days, the oldest first and today last. */
            days: components["schemas"]["UsageDay"][];
            minute: components["schemas"]["UsageWindow"];
            /** @description The plan of the key. */
            plan: string;
        };
        /** @description What the calling key did on one UTC day. */
        UsageDay: {
            /** @description Requests that were admitted. */
            admitted: number;
            /** Format: date */
            day: string;
            /** @description Requests that were over a limit; they are not charged. */
            refused: number;
        };
        /** @description A window of the calling key, this request counted. */
        UsageWindow: {
            /** @description The limit in force. */
            limit: number;
            /** @description The requests that the window has left. */
            remaining: number;
            /**
             * Format: date-time
             * @description The end of the window.
             */
            resetsAt: string;
        };
    };
    responses: {
        /** @description - `body_too_large`: The body is too large. */
        BodyTooLarge: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "body_too_large";
                    /** @constant */
                    status: 413;
                };
            };
        };
        /** @description - `expectation_failed`: The only expectation this service meets is 100-continue. */
        ExpectationFailed: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "expectation_failed";
                    /** @constant */
                    status: 417;
                };
            };
        };
        /** @description - `headers_too_large`: The request headers are too large. */
        HeadersTooLarge: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "headers_too_large";
                    /** @constant */
                    status: 431;
                };
            };
        };
        /** @description - `idempotency_key_reused`: This Idempotency-Key was used before with another request. */
        IdempotencyKeyReused: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "idempotency_key_reused";
                    /** @constant */
                    status: 422;
                };
            };
        };
        /** @description - `internal_error`: Something went wrong in the service. */
        InternalError: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "internal_error";
                    /** @constant */
                    status: 500;
                };
            };
        };
        /** @description - `precondition_failed`: If-Match names no tag that the resource has now: read it again. */
        PreconditionFailed: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "precondition_failed";
                    /** @constant */
                    status: 412;
                };
            };
        };
        /** @description - `request_timeout`: The request did not arrive in time. */
        RequestTimeout: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "request_timeout";
                    /** @constant */
                    status: 408;
                };
            };
        };
        /** @description - `service_unavailable`: The service cannot answer right now: retry shortly. */
        ServiceUnavailable: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "service_unavailable";
                    /** @constant */
                    status: 503;
                };
            };
        };
        /**
         * @description - `rate_limit_exceeded`: Too many requests: retry after the time in Retry-After.
         *     - `api_key_banned`: The API key is banned for a time: retry after the time in Retry-After.
         */
        TooManyRequests: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "rate_limit_exceeded" | "api_key_banned";
                    /** @constant */
                    status: 429;
                };
            };
        };
        /**
         * @description - `missing_api_key`: An API key is required: send it as "Authorization: Bearer <key>".
         *     - `invalid_api_key`: The API key is not valid.
         *     - `expired_api_key`: The API key has expired.
         *     - `revoked_api_key`: The API key has been revoked.
         */
        Unauthorized: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key";
                    /** @constant */
                    status: 401;
                };
            };
        };
        /** @description - `unsupported_media_type`: The body must be application/json in UTF-8, without a content coding. */
        UnsupportedMediaType: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "unsupported_media_type";
                    /** @constant */
                    status: 415;
                };
            };
        };
        /** @description - `uri_too_long`: The request target is too long. */
        UriTooLong: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code: "uri_too_long";
                    /** @constant */
                    status: 414;
                };
            };
        };
    };
    parameters: {
        /**
         * @description A name for this request, unique to your key: within 24 hours a repeat with the same body gets the first answer again instead of a second creation.
         * @example 5f0c3a52-7a63-4f0e-9d0b-6f1f3c1f2b7e
         */
        "Idempotency-Key": string;
        /**
         * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
         * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
         */
        "If-Match": string;
        /**
         * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
         * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
         */
        "If-None-Match": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The origins that may read the answer; with a configured list, the asking one if it is listed.
         * @example *
         */
        "Access-Control-Allow-Origin": string;
        /**
         * @description The headers that a script in a browser can read: all of these.
         * @example ETag, Link, Location
         */
        "Access-Control-Expose-Headers": string;
        /**
         * @description An answer to `GET` may be kept, but must be asked for again; anything else must not be kept.
         * @example private, no-cache
         */
        "Cache-Control": string;
        /**
         * @description Since when the operation is deprecated, in Unix seconds (RFC 9745).
         * @example @1795132800
         */
        Deprecation: string;
        /**
         * @description What explains the deprecation, and what replaces the operation.
         * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"
         */
        DeprecationLink: string;
        /**
         * @description The strong tag of the record or list, for `If-Match` and `If-None-Match`. After a write it is that of the record as it is now.
         * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
         */
        ETag: string;
        /**
         * @description Present when this is the stored answer to an earlier request with the same `Idempotency-Key`.
         * @example true
         */
        "Idempotency-Replayed": string;
        /**
         * @description The `next` page, absent on the last one, and the `first` (RFC 8288).
         * @example </v1/pets?limit=20&cursor=AQAAAAAAAAAV1v7-cw>; rel="next", </v1/pets?limit=20>; rel="first"
         */
        Link: string;
        /**
         * @description Where what was created can be read.
         * @example /v1/pets/301
         */
        Location: string;
        /**
         * @description The state of each window: the requests left `r` and the seconds to its end `t`.
         * @example "minute";r=59;t=31, "day";r=999;t=53071
         */
        RateLimit: string;
        /**
         * @description Every window that counts: its limit `q` and its length `w` in seconds (draft-ietf-httpapi-ratelimit-headers-10). Without a valid key it is the one of the client address.
         * @example "minute";q=60;w=60, "day";q=1000;w=86400
         */
        "RateLimit-Policy": string;
        /**
         * @description The seconds to wait before the next attempt; at least 1.
         * @example 31
         */
        "Retry-After": number;
        /**
         * @description When the operation ends (RFC 8594).
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description What the answer differs by.
         * @example Authorization
         */
        Vary: string;
        /**
         * @description The challenge of RFC 6750; without an error when no key was sent.
         * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
         */
        "WWW-Authenticate": string;
        /**
         * @description The request limit in force, of the window that has the fewest requests left.
         * @example 60
         */
        "X-RateLimit-Limit": number;
        /**
         * @description How many requests that window has left.
         * @example 59
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When that window ends, in Unix seconds; with 429, when a request makes sense again.
         * @example 1795167060
         */
        "X-RateLimit-Reset": number;
        /**
         * @description What the service knows this request by: name it when you report a fault. It is what you sent in `X-Request-Id`, if that was 1 to 128 visible ASCII characters without quotes, commas, semicolons, angle brackets and backslashes.
         * @example 5f0c1de08a3b-2s
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /** @description Where the page begins: take it from the `Link` header, with its filter. It is opaque. */
                cursor?: string;
                /** @description How many there are on a page at most. */
                limit?: number;
                /** @description Only animals of this status. */
                status?: components["schemas"]["PetStatus"];
            };
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of animals; an empty one when there are none. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 301,
                     *         "name": "Rex",
                     *         "categoryId": 9007199254740992,
                     *         "status": "available"
                     *       },
                     *       {
                     *         "id": 302,
                     *         "name": "Mieze",
                     *         "categoryId": 12,
                     *         "status": "sold"
                     *       },
                     *       {
                     *         "id": 303,
                     *         "name": "Hansi",
                     *         "categoryId": 7
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Pets"];
                };
            };
            /** @description What you have, by its `ETag`, still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description - `invalid_parameter`: A parameter has an invalid value.
             *     - `malformed_request`: The request is not well-formed HTTP.
             */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "invalid_parameter" | "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, unique to your key: within 24 hours a repeat with the same body gets the first answer again instead of a second creation.
                 * @example 5f0c3a52-7a63-4f0e-9d0b-6f1f3c1f2b7e
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Rex",
                 *       "categoryId": 9007199254740992,
                 *       "status": "available"
                 *     }
                 */
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The animal, with its `id`. */
            201: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 301,
                     *       "name": "Rex",
                     *       "categoryId": 9007199254740992,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /**
             * @description - `malformed_json`: The body is not valid JSON.
             *     - `invalid_body`: The body does not have the documented form.
             *     - `malformed_request`: The request is not well-formed HTTP.
             *     - `invalid_idempotency_key`: Idempotency-Key must be 1 to 255 visible ASCII characters.
             */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "malformed_json" | "invalid_body" | "malformed_request" | "invalid_idempotency_key";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            /** @description - `request_in_progress`: The first request with this Idempotency-Key is still under way. */
            409: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "request_in_progress";
                        /** @constant */
                        status: 409;
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPetsHead: {
        parameters: {
            query?: {
                /** @description Where the page begins: take it from the `Link` header, with its filter. It is opaque. */
                cursor?: string;
                /** @description How many there are on a page at most. */
                limit?: number;
                /** @description Only animals of this status. */
                status?: components["schemas"]["PetStatus"];
            };
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The error that `GET` answers. */
            "4XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The error that `GET` answers. */
            "5XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is there. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What you have still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The identifier. What is no plain decimal int64 identifies nothing (404).
                 * @example 301
                 */
                petId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 301,
                     *       "name": "Rex",
                     *       "categoryId": 9007199254740992,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description What you have, by its `ETag`, still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description - `malformed_request`: The request is not well-formed HTTP. */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description Since when the operation is deprecated, in Unix seconds (RFC 9745).
                     * @example @1795132800
                     */
                    Deprecation?: string;
                    /**
                     * @description What explains the deprecation, and what replaces the operation.
                     * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"
                     */
                    Link?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description When the operation ends (RFC 8594).
                     * @example Thu, 05 Dec 2030 00:00:00 GMT
                     */
                    Sunset?: string;
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            /**
             * @description - `missing_api_key`: An API key is required: send it as "Authorization: Bearer <key>".
             *     - `invalid_api_key`: The API key is not valid.
             *     - `expired_api_key`: The API key has expired.
             *     - `revoked_api_key`: The API key has been revoked.
             */
            401: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key";
                        /** @constant */
                        status: 401;
                    };
                };
            };
            /** @description - `pet_not_found`: There is no animal with this petId. */
            404: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "pet_not_found";
                        /** @constant */
                        status: 404;
                    };
                };
            };
            /** @description - `request_timeout`: The request did not arrive in time. */
            408: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description Since when the operation is deprecated, in Unix seconds (RFC 9745).
                     * @example @1795132800
                     */
                    Deprecation?: string;
                    /**
                     * @description What explains the deprecation, and what replaces the operation.
                     * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"
                     */
                    Link?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description When the operation ends (RFC 8594).
                     * @example Thu, 05 Dec 2030 00:00:00 GMT
                     */
                    Sunset?: string;
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "request_timeout";
                        /** @constant */
                        status: 408;
                    };
                };
            };
            /** @description - `operation_removed`: This operation has been removed. */
            410: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "operation_removed";
                        /** @constant */
                        status: 410;
                    };
                };
            };
            /** @description - `precondition_failed`: If-Match names no tag that the resource has now: read it again. */
            412: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "precondition_failed";
                        /** @constant */
                        status: 412;
                    };
                };
            };
            /** @description - `uri_too_long`: The request target is too long. */
            414: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description Since when the operation is deprecated, in Unix seconds (RFC 9745).
                     * @example @1795132800
                     */
                    Deprecation?: string;
                    /**
                     * @description What explains the deprecation, and what replaces the operation.
                     * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"
                     */
                    Link?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description When the operation ends (RFC 8594).
                     * @example Thu, 05 Dec 2030 00:00:00 GMT
                     */
                    Sunset?: string;
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "uri_too_long";
                        /** @constant */
                        status: 414;
                    };
                };
            };
            /** @description - `expectation_failed`: The only expectation this service meets is 100-continue. */
            417: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "expectation_failed";
                        /** @constant */
                        status: 417;
                    };
                };
            };
            /**
             * @description - `rate_limit_exceeded`: Too many requests: retry after the time in Retry-After.
             *     - `api_key_banned`: The API key is banned for a time: retry after the time in Retry-After.
             */
            429: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "rate_limit_exceeded" | "api_key_banned";
                        /** @constant */
                        status: 429;
                    };
                };
            };
            /** @description - `headers_too_large`: The request headers are too large. */
            431: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description Since when the operation is deprecated, in Unix seconds (RFC 9745).
                     * @example @1795132800
                     */
                    Deprecation?: string;
                    /**
                     * @description What explains the deprecation, and what replaces the operation.
                     * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"
                     */
                    Link?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description When the operation ends (RFC 8594).
                     * @example Thu, 05 Dec 2030 00:00:00 GMT
                     */
                    Sunset?: string;
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "headers_too_large";
                        /** @constant */
                        status: 431;
                    };
                };
            };
            /** @description - `internal_error`: Something went wrong in the service. */
            500: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "internal_error";
                        /** @constant */
                        status: 500;
                    };
                };
            };
            /** @description - `service_unavailable`: The service cannot answer right now: retry shortly. */
            503: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "service_unavailable";
                        /** @constant */
                        status: 503;
                    };
                };
            };
        };
    };
    getPetHead: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The identifier. What is no plain decimal int64 identifies nothing (404).
                 * @example 301
                 */
                petId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The error that `GET` answers. */
            "4XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description Since when the operation is deprecated, in Unix seconds (RFC 9745).
                     * @example @1795132800
                     */
                    Deprecation?: string;
                    /**
                     * @description What explains the deprecation, and what replaces the operation.
                     * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"
                     */
                    Link?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    /**
                     * @description When the operation ends (RFC 8594).
                     * @example Thu, 05 Dec 2030 00:00:00 GMT
                     */
                    Sunset?: string;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The error that `GET` answers. */
            "5XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description Since when the operation is deprecated, in Unix seconds (RFC 9745).
                     * @example @1795132800
                     */
                    Deprecation?: string;
                    /**
                     * @description What explains the deprecation, and what replaces the operation.
                     * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"
                     */
                    Link?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    /**
                     * @description When the operation ends (RFC 8594).
                     * @example Thu, 05 Dec 2030 00:00:00 GMT
                     */
                    Sunset?: string;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is there. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What you have still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["DeprecationLink"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getInventory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "available": 128,
                     *       "pending": 4,
                     *       "sold": 61
                     *     }
                     */
                    "application/json": components["schemas"]["Inventory"];
                };
            };
            /** @description What you have, by its `ETag`, still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description - `malformed_request`: The request is not well-formed HTTP. */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInventoryHead: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The error that `GET` answers. */
            "4XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The error that `GET` answers. */
            "5XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is there. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What you have still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description Where the page begins: take it from the `Link` header, with its filter. It is opaque. */
                cursor?: string;
                /** @description How many there are on a page at most. */
                limit?: number;
                /** @description Only orders of this status. */
                status?: components["schemas"]["OrderStatus"];
            };
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of orders; an empty one when there are none. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 41,
                     *         "petId": 301,
                     *         "status": "placed",
                     *         "placedAt": "2026-11-20T09:30:00.000Z",
                     *         "updatedAt": "2026-11-20T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Orders"];
                };
            };
            /** @description What you have, by its `ETag`, still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description - `invalid_parameter`: A parameter has an invalid value.
             *     - `malformed_request`: The request is not well-formed HTTP.
             */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "invalid_parameter" | "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    placeOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, unique to your key: within 24 hours a repeat with the same body gets the first answer again instead of a second creation.
                 * @example 5f0c3a52-7a63-4f0e-9d0b-6f1f3c1f2b7e
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "petId": 301
                 *     }
                 */
                "application/json": components["schemas"]["NewOrder"];
            };
        };
        responses: {
            /** @description The order. */
            201: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 41,
                     *       "petId": 301,
                     *       "status": "placed",
                     *       "placedAt": "2026-11-20T09:30:00.000Z",
                     *       "updatedAt": "2026-11-20T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            /**
             * @description - `malformed_json`: The body is not valid JSON.
             *     - `invalid_body`: The body does not have the documented form.
             *     - `malformed_request`: The request is not well-formed HTTP.
             *     - `unknown_pet`: There is no animal with this petId.
             *     - `invalid_idempotency_key`: Idempotency-Key must be 1 to 255 visible ASCII characters.
             */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "malformed_json" | "invalid_body" | "malformed_request" | "unknown_pet" | "invalid_idempotency_key";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            /**
             * @description - `pet_not_available`: The animal is not available.
             *     - `request_in_progress`: The first request with this Idempotency-Key is still under way.
             */
            409: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "pet_not_available" | "request_in_progress";
                        /** @constant */
                        status: 409;
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOrdersHead: {
        parameters: {
            query?: {
                /** @description Where the page begins: take it from the `Link` header, with its filter. It is opaque. */
                cursor?: string;
                /** @description How many there are on a page at most. */
                limit?: number;
                /** @description Only orders of this status. */
                status?: components["schemas"]["OrderStatus"];
            };
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The error that `GET` answers. */
            "4XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The error that `GET` answers. */
            "5XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is there. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What you have still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The identifier. What is no plain decimal int64 identifies nothing (404).
                 * @example 301
                 */
                orderId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 41,
                     *       "petId": 301,
                     *       "status": "placed",
                     *       "placedAt": "2026-11-20T09:30:00.000Z",
                     *       "updatedAt": "2026-11-20T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description What you have, by its `ETag`, still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description - `malformed_request`: The request is not well-formed HTTP. */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description - `order_not_found`: There is no order with this orderId. */
            404: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "order_not_found";
                        /** @constant */
                        status: 404;
                    };
                };
            };
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOrderHead: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The identifier. What is no plain decimal int64 identifies nothing (404).
                 * @example 301
                 */
                orderId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The error that `GET` answers. */
            "4XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The error that `GET` answers. */
            "5XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is there. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What you have still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The identifier. What is no plain decimal int64 identifies nothing (404).
                 * @example 301
                 */
                orderId: bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "approved"
                 *     }
                 */
                "application/json": components["schemas"]["OrderChange"];
            };
        };
        responses: {
            /** @description The order as it is now. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 41,
                     *       "petId": 301,
                     *       "status": "approved",
                     *       "placedAt": "2026-11-20T09:30:00.000Z",
                     *       "updatedAt": "2026-11-20T10:05:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            /**
             * @description - `malformed_json`: The body is not valid JSON.
             *     - `invalid_body`: The body does not have the documented form.
             *     - `malformed_request`: The request is not well-formed HTTP.
             */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "malformed_json" | "invalid_body" | "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description - `order_not_found`: There is no order with this orderId. */
            404: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "order_not_found";
                        /** @constant */
                        status: 404;
                    };
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description - `order_transition_not_allowed`: The order cannot go from its present status to this one. */
            409: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "order_transition_not_allowed";
                        /** @constant */
                        status: 409;
                    };
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage of the calling key. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "plan": "pro",
                     *       "minute": {
                     *         "limit": 300,
                     *         "remaining": 288,
                     *         "resetsAt": "2026-11-20T09:31:00.000Z"
                     *       },
                     *       "day": {
                     *         "limit": 10000,
                     *         "remaining": 9871,
                     *         "resetsAt": "2026-11-21T00:00:00.000Z"
                     *       },
                     *       "days": [
                     *         {
                     *           "day": "2026-10-21",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-22",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-23",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-24",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-25",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-26",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-27",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-28",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-29",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-30",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-10-31",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-01",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-02",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-03",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-04",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-05",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-06",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-07",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-08",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-09",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-10",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-11",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-12",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-13",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-14",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-15",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-16",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-17",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-18",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-19",
                     *           "admitted": 0,
                     *           "refused": 0
                     *         },
                     *         {
                     *           "day": "2026-11-20",
                     *           "admitted": 129,
                     *           "refused": 2
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description What you have, by its `ETag`, still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description - `malformed_request`: The request is not well-formed HTTP. */
            400: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code: "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUsageHead: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` that you have, or several: if the resource has none of them now, you get 412 `precondition_failed`, and a write changes nothing. A weak tag never matches, `*` always does.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of the answer that you have: while it still holds, you get 304 without a body.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The error that `GET` answers. */
            "4XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The error that `GET` answers. */
            "5XX": {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before the next attempt; at least 1.
                     * @example 31
                     */
                    "Retry-After"?: number;
                    Vary: components["headers"]["Vary"];
                    /**
                     * @description The challenge of RFC 6750; without an error when no key was sent.
                     * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
                     */
                    "WWW-Authenticate"?: string;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is there. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What you have still holds. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
