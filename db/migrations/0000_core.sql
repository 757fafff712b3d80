CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"password" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_provider_account" UNIQUE("provider_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"business_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" varchar(100) NOT NULL,
	"prefix" varchar(32) NOT NULL,
	"secret_hash" char(64) NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"replaced_by_id" uuid,
	CONSTRAINT "api_keys_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "api_keys_prefix_unique" UNIQUE("prefix")
);
--> statement-breakpoint
CREATE TABLE "business_counters" (
	"business_id" uuid PRIMARY KEY NOT NULL,
	"last_order_num" bigint DEFAULT 0 NOT NULL,
	"last_event_cursor" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "businesses" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" varchar(63) NOT NULL,
	"name" varchar(200) NOT NULL,
	"currency" char(3) NOT NULL,
	"module_enabled" boolean DEFAULT true NOT NULL,
	"store_enabled" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "businesses_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"demo_made_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "integrations" (
	"business_id" uuid PRIMARY KEY NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"direction" text DEFAULT 'bidirectional' NOT NULL,
	"webhook_url" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integrations_direction" CHECK ("integrations"."direction" in ('inbound', 'bidirectional'))
);
--> statement-breakpoint
CREATE TABLE "members" (
	"business_id" uuid NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_business_id_user_id_pk" PRIMARY KEY("business_id","user_id"),
	CONSTRAINT "members_role" CHECK ("members"."role" in ('owner', 'staff'))
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "products" (
	"business_id" uuid NOT NULL,
	"id" integer GENERATED ALWAYS AS IDENTITY (sequence name "products_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"sku" varchar(50),
	"external_id" varchar(100),
	"name" varchar(200) NOT NULL,
	"unit" varchar(20) NOT NULL,
	"price" numeric(12, 2) NOT NULL,
	"for_sale" boolean DEFAULT true NOT NULL,
	"tracked" boolean NOT NULL,
	"stock" numeric(14, 3),
	"last_version" bigint,
	"last_observed_at" timestamp (6) with time zone,
	"submitted_stock" numeric(14, 3),
	"submitted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "products_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "products_stock_iff_tracked" CHECK ("products"."tracked" = ("products"."stock" is not null)),
	CONSTRAINT "products_price" CHECK ("products"."price" >= 0)
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"business_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "delivery_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"attempt" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"response_status" integer,
	"duration_ms" integer,
	"error" text,
	"response_excerpt" text,
	CONSTRAINT "delivery_attempts_business_id_event_id_id_pk" PRIMARY KEY("business_id","event_id","id")
);
--> statement-breakpoint
CREATE TABLE "order_events" (
	"business_id" uuid NOT NULL,
	"cursor" bigint NOT NULL,
	"id" uuid NOT NULL,
	"order_id" uuid NOT NULL,
	"type" text NOT NULL,
	"data" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"confirmed_by" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"dead_at" timestamp (3) with time zone,
	CONSTRAINT "order_events_business_id_cursor_pk" PRIMARY KEY("business_id","cursor"),
	CONSTRAINT "order_events_id" UNIQUE("business_id","id"),
	CONSTRAINT "order_events_state" CHECK ("order_events"."state" in ('pending', 'confirmed', 'dead')),
	CONSTRAINT "order_events_confirmed" CHECK (("order_events"."state" = 'confirmed') = ("order_events"."confirmed_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "order_items" (
	"business_id" uuid NOT NULL,
	"order_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"product_id" integer NOT NULL,
	"sku" varchar(50),
	"external_id" varchar(100),
	"name" varchar(200) NOT NULL,
	"quantity" numeric(14, 3) NOT NULL,
	"unit_price" numeric(12, 2) NOT NULL,
	"line_total" numeric(12, 2) NOT NULL,
	"deducted" boolean NOT NULL,
	CONSTRAINT "order_items_business_id_order_id_position_pk" PRIMARY KEY("business_id","order_id","position"),
	CONSTRAINT "order_items_quantity" CHECK ("order_items"."quantity" > 0)
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"business_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"order_num" bigint NOT NULL,
	"client_order_id" uuid,
	"status" text NOT NULL,
	"payment_status" text NOT NULL,
	"payment_type" text,
	"order_type" text NOT NULL,
	"total" numeric(12, 2) NOT NULL,
	"currency" char(3) NOT NULL,
	"customer" jsonb,
	"note" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "orders_business_id_id_pk" PRIMARY KEY("business_id","id"),
	CONSTRAINT "orders_status" CHECK ("orders"."status" in ('pending', 'preparing', 'ready', 'completed', 'cancelled')),
	CONSTRAINT "orders_payment_status" CHECK ("orders"."payment_status" in ('unpaid', 'paid', 'refunded'))
);
--> statement-breakpoint
CREATE TABLE "reservations" (
	"business_id" uuid NOT NULL,
	"order_id" uuid NOT NULL,
	"product_id" integer NOT NULL,
	"quantity" numeric(14, 3) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"released_at" timestamp (3) with time zone,
	"release_reason" text,
	CONSTRAINT "reservations_business_id_order_id_product_id_pk" PRIMARY KEY("business_id","order_id","product_id")
);
--> statement-breakpoint
CREATE TABLE "stock_ledger" (
	"business_id" uuid NOT NULL,
	"product_id" integer NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "stock_ledger_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"cause" text NOT NULL,
	"before" numeric(14, 3),
	"after" numeric(14, 3),
	"order_id" uuid,
	"submission_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "stock_ledger_business_id_product_id_id_pk" PRIMARY KEY("business_id","product_id","id"),
	CONSTRAINT "stock_ledger_cause" CHECK ("stock_ledger"."cause" in ('sale', 'cancellation', 'submission', 'manual', 'tracking'))
);
--> statement-breakpoint
CREATE TABLE "stock_submissions" (
	"business_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"idempotency_key" varchar(100),
	"content_hash" char(64) NOT NULL,
	"results" json,
	"applied" integer NOT NULL,
	"duplicate" integer NOT NULL,
	"stale" integer NOT NULL,
	"not_found" integer NOT NULL,
	"untracked" integer NOT NULL,
	"invalid" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "stock_submissions_business_id_id_pk" PRIMARY KEY("business_id","id")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "business_counters" ADD CONSTRAINT "business_counters_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integrations" ADD CONSTRAINT "integrations_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_business_id_event_id_order_events_business_id_id_fk" FOREIGN KEY ("business_id","event_id") REFERENCES "public"."order_events"("business_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_events" ADD CONSTRAINT "order_events_business_id_order_id_orders_business_id_id_fk" FOREIGN KEY ("business_id","order_id") REFERENCES "public"."orders"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_items" ADD CONSTRAINT "order_items_business_id_order_id_orders_business_id_id_fk" FOREIGN KEY ("business_id","order_id") REFERENCES "public"."orders"("business_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_items" ADD CONSTRAINT "order_items_business_id_product_id_products_business_id_id_fk" FOREIGN KEY ("business_id","product_id") REFERENCES "public"."products"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_business_id_order_id_orders_business_id_id_fk" FOREIGN KEY ("business_id","order_id") REFERENCES "public"."orders"("business_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_business_id_product_id_products_business_id_id_fk" FOREIGN KEY ("business_id","product_id") REFERENCES "public"."products"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stock_ledger" ADD CONSTRAINT "stock_ledger_business_id_product_id_products_business_id_id_fk" FOREIGN KEY ("business_id","product_id") REFERENCES "public"."products"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stock_ledger" ADD CONSTRAINT "stock_ledger_business_id_order_id_orders_business_id_id_fk" FOREIGN KEY ("business_id","order_id") REFERENCES "public"."orders"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stock_submissions" ADD CONSTRAINT "stock_submissions_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stock_submissions" ADD CONSTRAINT "stock_submissions_business_id_api_key_id_api_keys_business_id_id_fk" FOREIGN KEY ("business_id","api_key_id") REFERENCES "public"."api_keys"("business_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_user" ON "accounts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "products_live_sku" ON "products" USING btree ("business_id","sku") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "products_live_external_id" ON "products" USING btree ("business_id",lower(external_id)) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "order_events_order" ON "order_events" USING btree ("business_id","order_id","cursor");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_number" ON "orders" USING btree ("business_id","order_num");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_client_order_id" ON "orders" USING btree ("business_id","client_order_id") WHERE client_order_id is not null;--> statement-breakpoint
CREATE INDEX "reservations_open" ON "reservations" USING btree ("business_id","product_id") WHERE released_at is null;--> statement-breakpoint
CREATE INDEX "reservations_expiring" ON "reservations" USING btree ("expires_at") WHERE released_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "stock_submissions_key" ON "stock_submissions" USING btree ("business_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "stock_submissions_expiring" ON "stock_submissions" USING btree ("created_at") WHERE idempotency_key is not null;--> statement-breakpoint
-- Rows that are updated in place leave room in their page, so that an update touches no index (HOT).
ALTER TABLE "products" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "business_counters" SET (fillfactor = 20);--> statement-breakpoint
ALTER TABLE "order_events" SET (fillfactor = 90);
