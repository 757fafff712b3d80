ALTER TABLE "integrations" ADD COLUMN "webhook_secret" text;--> statement-breakpoint
ALTER TABLE "integrations" ADD COLUMN "previous_webhook_secret" text;--> statement-breakpoint
ALTER TABLE "integrations" ADD COLUMN "webhook_secret_rotated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD COLUMN "round" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "resends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "lease" uuid;--> statement-breakpoint
CREATE INDEX "order_events_due" ON "order_events" USING btree ("business_id","next_attempt_at","cursor") WHERE state = 'pending' and next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "order_events_dead" ON "order_events" USING btree ("business_id","dead_at") WHERE state = 'dead';