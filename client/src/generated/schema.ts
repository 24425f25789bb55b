// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The name of a category. */
        Category: {
            /**
             * Format: int64
             * @description The number that pets refer to as their `categoryId`.
             */
            id: bigint;
            /** @description Stored and returned exactly as sent. Names are unique, ignoring ASCII case. */
            name: string;
        };
        /** @description The body of an error, unless the client prefers problem details. It has exactly these three members. */
        Error: {
            /**
             * @description The machine-readable error code, from a closed set.
             * @enum {string}
             */
            code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request" | "unknown_pet" | "invalid_idempotency_key" | "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key" | "api_key_suspended" | "read_only_api_key" | "not_found" | "pet_not_found" | "order_not_found" | "category_not_found" | "method_not_allowed" | "request_timeout" | "pet_not_available" | "pet_has_open_order" | "pet_is_sold" | "order_transition_not_allowed" | "category_exists" | "category_in_use" | "request_in_progress" | "operation_removed" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "rate_limit_exceeded" | "api_key_banned" | "headers_too_large" | "internal_error" | "service_unavailable";
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
        NewCategory: {
            /** @description Stored and returned exactly as sent. Names are unique, ignoring ASCII case. */
            name: string;
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
            code: "malformed_json" | "invalid_body" | "invalid_parameter" | "malformed_request" | "unknown_pet" | "invalid_idempotency_key" | "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key" | "api_key_suspended" | "read_only_api_key" | "not_found" | "pet_not_found" | "order_not_found" | "category_not_found" | "method_not_allowed" | "request_timeout" | "pet_not_available" | "pet_has_open_order" | "pet_is_sold" | "order_transition_not_allowed" | "category_exists" | "category_in_use" | "request_in_progress" | "operation_removed" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "rate_limit_exceeded" | "api_key_banned" | "headers_too_large" | "internal_error" | "service_unavailable";
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
            /** @description The calendar month in UTC, of keys that have a limit for it. */
            month?: components["schemas"]["UsageWindow"];
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
             * @description `success`, `client_error` (4xx) and `server_error` (5xx) of requests that were admitted; `limited` (429), `banned` (429), `suspended` (403), `unauthorized` (revoked or expired) and `undecided` (503, before the key was looked up) of the others. There may be more values later. Before 2.0, `banned` counted suspended requests, too.
             * @example success
             * @example client_error
             * @example server_error
             * @example limited
             * @example banned
             * @example suspended
             * @example unauthorized
             * @example undecided
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
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
