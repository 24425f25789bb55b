// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.
export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pets
         * @description Returns a page of pets, ordered by `id`. Follow the `next` link in the `Link` header until there is none. Pets that are added or deleted meanwhile do not make the pages skip or repeat others. A pet must pass every filter that is given. With one `id` and no other parameter, the `ETag` is that of the pet, for `If-Match` of a change.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add a pet
         * @description Adds a pet. Unknown members are ignored. With an `Idempotency-Key` the request is safe to repeat.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
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
         * Get a pet
         * @deprecated
         * @description Returns a pet by its identifier.
         *
         *     Deprecated. From 2030-12-05 on it returns 410. Use `GET /v1/pets` with the filter `id` or `status` instead.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        /**
         * Delete a pet
         * @description Deletes a pet and its cancelled orders. A pet with an open or a delivered order is not deleted. With `If-Match`, the pet is deleted only if it still has that `ETag`.
         */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        /**
         * Change a pet
         * @description Changes the members of a pet that the body has; at least one is required. The status of a pet with an open order changes only with the order. With `If-Match`, the pet changes only if it still has that `ETag`.
         */
        patch: operations["updatePet"];
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
         * Get the inventory
         * @description Returns the exact number of pets by status.
         */
        get: operations["getInventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
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
         * @description Returns a page of orders, ordered by `id`. Follow the `next` link in the `Link` header until there is none.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Place an order
         * @description Orders a pet that is `available` and makes it `pending`. Of simultaneous orders for the same pet, exactly one succeeds.
         */
        post: operations["placeOrder"];
        delete?: never;
        options?: never;
        head?: never;
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
         * @description Returns an order by its identifier.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the status of an order
         * @description Changes the status of an order, and the status of its pet with it: `delivered` makes the pet `sold`, `cancelled` makes it `available` again. Setting the current status changes nothing. With `If-Match`, the order changes only if it still has that `ETag`.
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
         * Get usage
         * @description Returns the plan and limits of the API key of the request, the current minute and day with this request counted, and the requests of each of the last 31 UTC days, and of each of the last 24 hours by operation and outcome.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The body of every error response. It has exactly these three members. */
        Error: {
            /**
             * @description The machine-readable error code, from a closed set.
             * @enum {string}
             */
            code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request" | "unknown_pet" | "invalid_idempotency_key" | "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key" | "api_key_suspended" | "read_only_api_key" | "not_found" | "pet_not_found" | "order_not_found" | "method_not_allowed" | "request_timeout" | "pet_not_available" | "pet_has_open_order" | "pet_is_sold" | "order_transition_not_allowed" | "request_in_progress" | "operation_removed" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "rate_limit_exceeded" | "api_key_banned" | "headers_too_large" | "internal_error" | "service_unavailable";
            /** @description A human-readable description, in one line. */
            message: string;
            /** @description The HTTP status code. */
            status: number;
        };
        /** @description The number of pets by status. Pets without a status are not counted. */
        Inventory: {
            /**
             * Format: int64
             * @description Pets that can be ordered.
             */
            available: bigint;
            /**
             * Format: int64
             * @description Pets that are reserved.
             */
            pending: bigint;
            /**
             * Format: int64
             * @description Pets that are sold.
             */
            sold: bigint;
        };
        NewOrder: {
            /**
             * Format: int64
             * @description The ordered pet.
             */
            petId: bigint;
        };
        NewPet: {
            /**
             * Format: int64
             * @description The category of the pet: any int64.
             */
            categoryId: bigint;
            /** @description Stored and returned exactly as sent. */
            name: string;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description An order for one pet. */
        Order: {
            /**
             * Format: int64
             * @description Assigned by the service when the order is placed.
             */
            id: bigint;
            /**
             * Format: int64
             * @description The ordered pet.
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
             * @description When the status last changed.
             */
            updatedAt: string;
        };
        OrderChange: {
            status: components["schemas"]["OrderStatus"];
        };
        /**
         * @description An order is `placed`, then `approved`, then `delivered`. It can be `cancelled` until it is delivered.
         * @enum {string}
         */
        OrderStatus: "placed" | "approved" | "delivered" | "cancelled";
        /** @description A pet. */
        Pet: {
            /**
             * Format: int64
             * @description The category of the pet: any int64.
             */
            categoryId: bigint;
            /**
             * Format: int64
             * @description Assigned by the service when the pet is added.
             */
            id: bigint;
            /** @description Stored and returned exactly as sent. */
            name: string;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description The members to change. Absent members stay as they are. */
        PetChange: {
            /**
             * Format: int64
             * @description The category of the pet: any int64.
             */
            categoryId?: bigint;
            /** @description Stored and returned exactly as sent. */
            name?: string;
            status?: components["schemas"]["PetStatus"];
        };
        /**
         * @description `available`: can be ordered. `pending`: reserved, usually by an open order. `sold`: no longer for sale.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description Problem details (RFC 9457): the body of an error if `Accept` gives `application/problem+json` a higher quality than `application/json`, or does not name the latter. */
        Problem: {
            /**
             * @description The machine-readable error code, from a closed set.
             * @enum {string}
             */
            code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request" | "unknown_pet" | "invalid_idempotency_key" | "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key" | "api_key_suspended" | "read_only_api_key" | "not_found" | "pet_not_found" | "order_not_found" | "method_not_allowed" | "request_timeout" | "pet_not_available" | "pet_has_open_order" | "pet_is_sold" | "order_transition_not_allowed" | "request_in_progress" | "operation_removed" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "rate_limit_exceeded" | "api_key_banned" | "headers_too_large" | "internal_error" | "service_unavailable";
            /** @description The `message` of an Error. */
            detail: string;
            /** @description What is wrong with each member of the body, by its JSON pointer, or with each query parameter. */
            errors?: {
                detail: string;
                /** @example limit */
                parameter?: string;
                /** @example #/name */
                pointer?: string;
            }[];
            /** @description The HTTP status code. */
            status: number;
            /** @description What the code means. */
            title: string;
            /**
             * Format: uri-reference
             * @description The documentation of the code.
             */
            type: string;
        };
        /** @description The plan of the API key, its limits and its usage. */
        Usage: {
            day: components["schemas"]["UsageWindow"];
            /** @description The last 31 UTC days, oldest first. */
            days: components["schemas"]["UsageDay"][];
            /** @description The last 24 hours, oldest first, by operation and outcome. Unlike `minute`, `day` and `days`, they may lack the requests of the last 10 seconds. */
            hours: components["schemas"]["UsageHour"][];
            minute: components["schemas"]["UsageWindow"];
            /** @description The plan of the key. */
            plan: string;
        };
        /** @description The requests of the API key on a UTC day. */
        UsageDay: {
            /** @description Requests that were admitted. */
            admitted: number;
            /** Format: date */
            day: string;
            /** @description Requests that were rejected because of a limit. They do not count against it. */
            refused: number;
        };
        /** @description The requests of the API key in an hour. */
        UsageHour: {
            /** @description Empty if the hour had no requests. */
            counts: components["schemas"]["UsageHourCount"][];
            /**
             * Format: date-time
             * @description When the hour began.
             */
            hour: string;
        };
        /** @description Requests by operation and outcome. */
        UsageHourCount: {
            /** @description The `operationId`, or `none` if no path and method matched. */
            operation: string;
            /**
             * @description `success`, `client_error` (4xx) and `server_error` (5xx) of requests that were admitted; `limited` (429), `banned` (429, or 403 while suspended) and `unauthorized` (revoked or expired) of the others. There may be more values later.
             * @example success
             * @example client_error
             * @example server_error
             * @example limited
             * @example banned
             * @example unauthorized
             */
            outcome: string;
            /** @description The number of requests. */
            requests: number;
        };
        /** @description A window of the API key, with this request counted. */
        UsageWindow: {
            /** @description The limit of the window. */
            limit: number;
            /** @description The requests remaining in the window. */
            remaining: number;
            /**
             * Format: date-time
             * @description When the window resets.
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `expectation_failed`: The only supported expectation is 100-continue. */
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `api_key_suspended`: The API key is suspended. Contact the operator of this API. */
        Forbidden: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                /**
                 * @description The seconds to wait before you retry; at least 1.
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
                    code: "api_key_suspended";
                    /** @constant */
                    status: 403;
                };
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `api_key_suspended`: The API key is suspended. Contact the operator of this API.
         *     - `read_only_api_key`: The API key may only read: GET and HEAD.
         */
        ForbiddenChange: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                /**
                 * @description The seconds to wait before you retry; at least 1.
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
                    code: "api_key_suspended" | "read_only_api_key";
                    /** @constant */
                    status: 403;
                };
                "application/problem+json": components["schemas"]["Problem"];
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `idempotency_key_reused`: This Idempotency-Key was already used for a different request. */
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `internal_error`: An unexpected error occurred in the service. */
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `precondition_failed`: The current ETag of the resource does not meet If-Match or If-None-Match. */
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
                "application/problem+json": components["schemas"]["Problem"];
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `service_unavailable`: The service is temporarily unavailable. Retry-After gives the seconds to wait. */
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `rate_limit_exceeded`: Too many requests. Retry-After gives the seconds to wait.
         *     - `api_key_banned`: The API key is banned temporarily. Retry-After gives the seconds to wait.
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `missing_api_key`: An API key is required. Send it as "Authorization: Bearer <key>".
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `unsupported_media_type`: The body must be application/json in UTF-8, without Content-Encoding. */
        UnsupportedMediaType: {
            headers: {
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                "Accept-Patch": components["headers"]["Accept-Patch"];
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `uri_too_long`: The request URI is too long. */
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description A unique value for this request, such as a UUID. If you repeat the request with the same value and body within 24 hours, it is not executed again and returns the first response.
         * @example 5f0c3a52-7a63-4f0e-9d0b-6f1f3c1f2b7e
         */
        "Idempotency-Key": string;
        /**
         * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
         * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
         */
        "If-Match": string;
        /**
         * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
         * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
         */
        "If-None-Match": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The `Content-Encoding` that a body may have.
         * @example identity
         */
        "Accept-Encoding": string;
        /**
         * @description The media type of the body of a `PATCH` (RFC 5789).
         * @example application/json
         */
        "Accept-Patch": string;
        /**
         * @description The origins that may read the response. If origins are configured: the origin of the request, if it is one of them.
         * @example *
         */
        "Access-Control-Allow-Origin": string;
        /**
         * @description The headers that scripts in a browser may read: all headers described here.
         * @example ETag, Link, Location
         */
        "Access-Control-Expose-Headers": string;
        /**
         * @description A response to `GET` may be stored but must be revalidated. Any other response must not be stored.
         * @example private, no-cache
         */
        "Cache-Control": string;
        /**
         * @description When the operation was deprecated, in Unix seconds (RFC 9745).
         * @example @1795132800
         */
        Deprecation: string;
        /**
         * @description Links to the documentation of the deprecation and to the successor of the operation.
         * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets?id=1>; rel="successor-version"
         */
        DeprecationLink: string;
        /**
         * @description A strong entity tag of the resource, for `If-Match` and `If-None-Match`. After a write: of the new state.
         * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
         */
        ETag: string;
        /**
         * @description Present when this is the stored response to an earlier request with the same `Idempotency-Key`.
         * @example true
         */
        "Idempotency-Replayed": string;
        /**
         * @description Links to the `first` page and to the `next` page, which is absent on the last page (RFC 8288).
         * @example </v1/pets?limit=20&cursor=AQAAAAAAAAAV1v7-cw>; rel="next", </v1/pets?limit=20>; rel="first"
         */
        Link: string;
        /**
         * @description The URL of the created resource.
         * @example /v1/pets/1
         */
        Location: string;
        /**
         * @description The requests remaining `r` in each window, and the seconds `t` until it resets.
         * @example "minute";r=59;t=31, "day";r=999;t=53071
         */
        RateLimit: string;
        /**
         * @description The limit `q` and the length `w` in seconds of each window (draft-ietf-httpapi-ratelimit-headers-11). Without a valid key: the limit of the client address.
         * @example "minute";q=60;w=60, "day";q=1000;w=86400
         */
        "RateLimit-Policy": string;
        /**
         * @description The seconds to wait before you retry; at least 1.
         * @example 31
         */
        "Retry-After": number;
        /**
         * @description When the operation is removed (RFC 8594).
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description The request headers that the response depends on: for an error, at least `Accept`.
         * @example Authorization
         */
        Vary: string;
        /**
         * @description The challenge (RFC 6750). It has no `error` if no key was sent.
         * @example Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."
         */
        "WWW-Authenticate": string;
        /**
         * @description The limit of the window with the fewest requests remaining.
         * @example 60
         */
        "X-RateLimit-Limit": number;
        /**
         * @description The requests remaining in that window.
         * @example 59
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When that window resets, in Unix seconds. With a 429, and a 403 with Retry-After: when to retry.
         * @example 1795167060
         */
        "X-RateLimit-Reset": number;
        /**
         * @description The id of this request in the log of the service: include it in a problem report. It is the `X-Request-Id` that you sent, if that has 1 to 128 visible ASCII characters except quotes, commas, semicolons, angle brackets and backslashes.
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
                /** @description Return only pets of this category. */
                categoryId?: bigint;
                /** @description An opaque position in the list. Follow the `next` link in the `Link` header instead of building it yourself. */
                cursor?: string;
                /** @description Return only pets with one of these identifiers. Repeat it for each one. */
                id?: bigint[];
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description `id`: ascending, the oldest pet first. `-id`: descending. */
                sort?: "id" | "-id";
                /** @description Return only pets with one of these statuses. Repeat it for each one. */
                status?: components["schemas"]["PetStatus"][];
            };
            header?: {
                /**
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of pets, which may be empty. */
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
                     *         "id": 1,
                     *         "name": "Rex",
                     *         "categoryId": 9007199254740992,
                     *         "status": "available"
                     *       },
                     *       {
                     *         "id": 2,
                     *         "name": "Luna",
                     *         "categoryId": 12,
                     *         "status": "sold"
                     *       },
                     *       {
                     *         "id": 3,
                     *         "name": "Coco",
                     *         "categoryId": 7
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Pet"][];
                };
            };
            /** @description Your copy, identified by its `ETag`, is up to date. */
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
             * @description - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
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
                 * @description A unique value for this request, such as a UUID. If you repeat the request with the same value and body within 24 hours, it is not executed again and returns the first response.
                 * @example 5f0c3a52-7a63-4f0e-9d0b-6f1f3c1f2b7e
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The new pet, with its `id`. */
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
                     *       "id": 1,
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
             *     - `invalid_body`: The body does not match the documented schema.
             *     - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                        code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request" | "invalid_idempotency_key";
                        /** @constant */
                        status: 400;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenChange"];
            408: components["responses"]["RequestTimeout"];
            /** @description - `request_in_progress`: The first request with this Idempotency-Key is still in progress. */
            409: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before you retry; at least 1.
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
                    "application/problem+json": components["schemas"]["Problem"];
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
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier. Anything but a decimal int64 is 404. */
                petId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet. */
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
                     *       "id": 1,
                     *       "name": "Rex",
                     *       "categoryId": 9007199254740992,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description Your copy, identified by its `ETag`, is up to date. */
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
            /**
             * @description - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description - `missing_api_key`: An API key is required. Send it as "Authorization: Bearer <key>".
             *     - `invalid_api_key`: The API key is not valid.
             *     - `expired_api_key`: The API key has expired.
             *     - `revoked_api_key`: The API key has been revoked.
             */
            401: {
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `api_key_suspended`: The API key is suspended. Contact the operator of this API. */
            403: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before you retry; at least 1.
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
                        code: "api_key_suspended";
                        /** @constant */
                        status: 403;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `pet_not_found`: There is no pet with this petId. */
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `request_timeout`: The request did not arrive in time. */
            408: {
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
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `precondition_failed`: The current ETag of the resource does not meet If-Match or If-None-Match. */
            412: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `uri_too_long`: The request URI is too long. */
            414: {
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `expectation_failed`: The only supported expectation is 100-continue. */
            417: {
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description - `rate_limit_exceeded`: Too many requests. Retry-After gives the seconds to wait.
             *     - `api_key_banned`: The API key is banned temporarily. Retry-After gives the seconds to wait.
             */
            429: {
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `headers_too_large`: The request headers are too large. */
            431: {
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `internal_error`: An unexpected error occurred in the service. */
            500: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description When the operation was deprecated, in Unix seconds (RFC 9745).
                     * @example @1795132800
                     */
                    Deprecation?: string;
                    /**
                     * @description Links to the documentation of the deprecation and to the successor of the operation.
                     * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets?id=1>; rel="successor-version"
                     */
                    Link?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description When the operation is removed (RFC 8594).
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
                        code: "internal_error";
                        /** @constant */
                        status: 500;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description - `service_unavailable`: The service is temporarily unavailable. Retry-After gives the seconds to wait. */
            503: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description When the operation was deprecated, in Unix seconds (RFC 9745).
                     * @example @1795132800
                     */
                    Deprecation?: string;
                    /**
                     * @description Links to the documentation of the deprecation and to the successor of the operation.
                     * @example </docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets?id=1>; rel="successor-version"
                     */
                    Link?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /**
                     * @description When the operation is removed (RFC 8594).
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
                        code: "service_unavailable";
                        /** @constant */
                        status: 503;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier. Anything but a decimal int64 is 404. */
                petId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet is deleted. */
            204: {
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
                content?: never;
            };
            /**
             * @description - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenChange"];
            /** @description - `pet_not_found`: There is no pet with this petId. */
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
                        code: "pet_not_found";
                        /** @constant */
                        status: 404;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /**
             * @description - `pet_has_open_order`: The pet has an open order. Deliver or cancel the order first.
             *     - `pet_is_sold`: The pet was sold: it has a delivered order.
             */
            409: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before you retry; at least 1.
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
                        code: "pet_has_open_order" | "pet_is_sold";
                        /** @constant */
                        status: 409;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updatePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier. Anything but a decimal int64 is 404. */
                petId: bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PetChange"];
            };
        };
        responses: {
            /** @description The changed pet. */
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
                     *       "id": 1,
                     *       "name": "Rex II",
                     *       "categoryId": 9007199254740992,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /**
             * @description - `malformed_json`: The body is not valid JSON.
             *     - `invalid_body`: The body does not match the documented schema.
             *     - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                        code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenChange"];
            /** @description - `pet_not_found`: There is no pet with this petId. */
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
                        code: "pet_not_found";
                        /** @constant */
                        status: 404;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description - `pet_has_open_order`: The pet has an open order. Deliver or cancel the order first. */
            409: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before you retry; at least 1.
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
                        code: "pet_has_open_order";
                        /** @constant */
                        status: 409;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
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
    getInventory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of pets by status. */
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
            /** @description Your copy, identified by its `ETag`, is up to date. */
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
            /**
             * @description - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
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
    listOrders: {
        parameters: {
            query?: {
                /** @description An opaque position in the list. Follow the `next` link in the `Link` header instead of building it yourself. */
                cursor?: string;
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description Return only orders with this status. */
                status?: components["schemas"]["OrderStatus"];
            };
            header?: {
                /**
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of orders, which may be empty. */
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
                     *         "id": 1,
                     *         "petId": 2,
                     *         "status": "placed",
                     *         "placedAt": "2026-11-20T09:30:00.000Z",
                     *         "updatedAt": "2026-11-20T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Order"][];
                };
            };
            /** @description Your copy, identified by its `ETag`, is up to date. */
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
             * @description - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
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
                 * @description A unique value for this request, such as a UUID. If you repeat the request with the same value and body within 24 hours, it is not executed again and returns the first response.
                 * @example 5f0c3a52-7a63-4f0e-9d0b-6f1f3c1f2b7e
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                     *       "id": 1,
                     *       "petId": 2,
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
             *     - `invalid_body`: The body does not match the documented schema.
             *     - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
             *     - `unknown_pet`: There is no pet with this petId.
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
                        code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request" | "unknown_pet" | "invalid_idempotency_key";
                        /** @constant */
                        status: 400;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenChange"];
            408: components["responses"]["RequestTimeout"];
            /**
             * @description - `pet_not_available`: The pet is not available.
             *     - `request_in_progress`: The first request with this Idempotency-Key is still in progress.
             */
            409: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before you retry; at least 1.
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
                    "application/problem+json": components["schemas"]["Problem"];
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
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier. Anything but a decimal int64 is 404. */
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
                     *       "id": 1,
                     *       "petId": 2,
                     *       "status": "placed",
                     *       "placedAt": "2026-11-20T09:30:00.000Z",
                     *       "updatedAt": "2026-11-20T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description Your copy, identified by its `ETag`, is up to date. */
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
            /**
             * @description - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
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
                    "application/problem+json": components["schemas"]["Problem"];
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
    updateOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier. Anything but a decimal int64 is 404. */
                orderId: bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderChange"];
            };
        };
        responses: {
            /** @description The changed order. */
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
                     *       "id": 1,
                     *       "petId": 2,
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
             *     - `invalid_body`: The body does not match the documented schema.
             *     - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                        code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request";
                        /** @constant */
                        status: 400;
                    };
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenChange"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description - `order_transition_not_allowed`: The order cannot change from its current status to the requested one. */
            409: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /**
                     * @description The seconds to wait before you retry; at least 1.
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
                    "application/problem+json": components["schemas"]["Problem"];
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
                 * @description One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing is changed. Weak tags never match; `*` always matches.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description The `ETag` of your copy, or several. If one is still current, a read is 304 without a body, and a write is 412 `precondition_failed` and changes nothing. `*` is every `ETag`.
                 * @example "Zq3pB8c1Yk0a7dXw2nT4vQ"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage of the API key. */
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
                     *       ],
                     *       "hours": [
                     *         {
                     *           "hour": "2026-11-19T10:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T11:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T12:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T13:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T14:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T15:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T16:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T17:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T18:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T19:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T20:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T21:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T22:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-19T23:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T00:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T01:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T02:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T03:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T04:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T05:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T06:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T07:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T08:00:00.000Z",
                     *           "counts": []
                     *         },
                     *         {
                     *           "hour": "2026-11-20T09:00:00.000Z",
                     *           "counts": [
                     *             {
                     *               "operation": "createPet",
                     *               "outcome": "client_error",
                     *               "requests": 4
                     *             },
                     *             {
                     *               "operation": "listPets",
                     *               "outcome": "limited",
                     *               "requests": 2
                     *             },
                     *             {
                     *               "operation": "listPets",
                     *               "outcome": "success",
                     *               "requests": 125
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description Your copy, identified by its `ETag`, is up to date. */
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
            /**
             * @description - `invalid_parameter`: A query parameter is unknown or has an invalid value.
             *     - `malformed_request`: The request is not valid HTTP.
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
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
}
