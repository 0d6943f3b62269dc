//! Provisioning of subscriptions: provision, suspend, resume, terminate, change.

use super::declaration::operations;
use crate::model::{
    CustomerId, Money, PlanSlug, ProductSlug, ServiceId, Subscription, SubscriptionChange,
    SubscriptionState, SubscriptionStatus,
};
use crate::validate::{between, email, monthly_price, most, plan, product};

operations! {
    {
        /// `POST .../provision-subscription`: records what a customer bought, or changes it. Creates the customer's account
        /// on first use. 201 for a new subscription, 200 for one that was there.
        ///
        /// Per-plan products take a plan, per-unit products a quantity. One that was there takes what is given here, without
        /// the check of a downgrade, and one that has ended is revived: so a repeat is harmless only while nothing else has
        /// changed the subscription. Sent late, it undoes an upgrade ([`order_hooks`](crate::guides::order_hooks)).
        ///
        /// One that is suspended stays so, and gives no capacity (assumed): check `data.status` of the answer. Error:
        /// `PRODUCT_NOT_FOUND`.
        provision_subscription: ProvisionSubscription -> Subscription = POST "/api/v1/{namespace}/provision-subscription",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The customer in the billing system.
            client_id: CustomerId,
            /// The service in the billing system.
            service_id: ServiceId,
            /// The product, at most 50 characters.
            product_slug: ProductSlug [product],
        }
        optional {
            /// The plan, at most 50 characters.
            plan_slug: PlanSlug [plan],
            /// How many units, 1 to 10000.
            quantity: u32 [between(1, 10_000)],
            /// Monthly price, 0.01 to 9999.99.
            mrr: Money [monthly_price],
            /// Name of the customer's account, used when it is created; at most 255 characters.
            client_name: String [most(255)],
            /// E-mail address of the customer's account, used when it is created; at most 255 characters.
            client_email: String [email],
        }
        answer {
            |_, answer, check| {
                check.starts_in_none_of(&[SubscriptionStatus::Cancelled], &answer.status);
            }
        }
        accessors { Subscriptions:
            /// Records or changes what a customer bought: [`ProvisionSubscription`].
            call provision(bought: ProvisionSubscription) = bought;
        }
    }
    {
        /// `POST .../suspend-subscription`: takes the capacity away; what no longer fits is paused, newest first.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). Errors: `PRODUCT_NOT_FOUND`,
        /// `BILLING_CLIENT_NOT_FOUND`, `SUBSCRIPTION_NOT_FOUND`; on one that has ended (assumed)
        /// `SUBSCRIPTION_NOT_CHANGEABLE`.
        suspend_subscription: SuspendSubscription -> SubscriptionState = POST "/api/v1/{namespace}/suspend-subscription",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The customer in the billing system.
            client_id: CustomerId,
            /// The service in the billing system.
            service_id: ServiceId,
            /// The product, at most 50 characters.
            product_slug: ProductSlug [product],
        }
        answer {
            |_, answer, check| check.same("status", &SubscriptionStatus::Suspended, &answer.status)
        }
        accessors { Subscriptions:
            /// Takes the capacity of a subscription away: [`SuspendSubscription`].
            call suspend(customer: CustomerId, service: ServiceId, product: impl Into<ProductSlug>);
        }
    }
    {
        /// `POST .../resume-subscription`: gives the capacity back; what the platform paused is un-paused, oldest first.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). Errors: `PRODUCT_NOT_FOUND`,
        /// `BILLING_CLIENT_NOT_FOUND`, `SUBSCRIPTION_NOT_FOUND`; on one that has ended (assumed)
        /// `SUBSCRIPTION_NOT_CHANGEABLE`.
        resume_subscription: ResumeSubscription -> SubscriptionState = POST "/api/v1/{namespace}/resume-subscription",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The customer in the billing system.
            client_id: CustomerId,
            /// The service in the billing system.
            service_id: ServiceId,
            /// The product, at most 50 characters.
            product_slug: ProductSlug [product],
        }
        answer {
            |_, answer, check| check.same("status", &SubscriptionStatus::Active, &answer.status)
        }
        accessors { Subscriptions:
            /// Gives the capacity of a subscription back: [`ResumeSubscription`].
            call resume(customer: CustomerId, service: ServiceId, product: impl Into<ProductSlug>);
        }
    }
    {
        /// `POST .../terminate-subscription`: ends it. Nothing is deleted; what no longer fits is paused, newest first.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). Errors: `PRODUCT_NOT_FOUND`,
        /// `BILLING_CLIENT_NOT_FOUND`, `SUBSCRIPTION_NOT_FOUND`.
        terminate_subscription: TerminateSubscription -> SubscriptionState = POST "/api/v1/{namespace}/terminate-subscription",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The customer in the billing system.
            client_id: CustomerId,
            /// The service in the billing system.
            service_id: ServiceId,
            /// The product, at most 50 characters.
            product_slug: ProductSlug [product],
        }
        answer {
            |_, answer, check| {
                // The specification has both words for it.
                if answer.status.as_str() != "terminated" {
                    check.same("status", &SubscriptionStatus::Cancelled, &answer.status);
                }
            }
        }
        accessors { Subscriptions:
            /// Ends a subscription: [`TerminateSubscription`].
            call terminate(customer: CustomerId, service: ServiceId, product: impl Into<ProductSlug>);
        }
    }
    {
        /// `POST .../change-subscription`: to another plan or quantity; at least one of the two is required.
        ///
        /// It is not sent again after a lost answer: the repeat would say `changed: false`, and not what it changed from.
        /// Read first what shows the change: [`order_hooks`](crate::guides::order_hooks). Errors: `PRODUCT_NOT_FOUND`,
        /// `SUBSCRIPTION_NOT_FOUND`, `SUBSCRIPTION_NOT_CHANGEABLE`, and `DOWNGRADE_USAGE_EXCEEDED` with
        /// [`current_usage`](crate::Details::current_usage) and [`new_limit`](crate::Details::new_limit).
        change_subscription: ChangeSubscription -> SubscriptionChange = POST "/api/v1/{namespace}/change-subscription",
        Provisioning, Once, Specified, Success;
        required {
            /// The customer in the billing system.
            client_id: CustomerId,
            /// The service in the billing system.
            service_id: ServiceId,
            /// The product, at most 50 characters.
            product_slug: ProductSlug [product],
        }
        optional {
            /// The new plan, at most 50 characters.
            new_plan_slug: PlanSlug [plan],
            /// The new quantity, 1 to 10000.
            new_quantity: u32 [between(1, 10_000)],
            /// Reserved for administrative overrides: a downgrade is made whatever is in use.
            force: bool,
        }
        check {
            |request, problems| {
                if request.new_plan_slug.is_none() && request.new_quantity.is_none() {
                    for field in ["new_plan_slug", "new_quantity"] {
                        problems.add(field, "A new plan or a new quantity is required.");
                    }
                }
            }
        }
        accessors { Subscriptions:
            /// Moves a subscription to another plan or quantity: [`ChangeSubscription`].
            call change(change: ChangeSubscription) = change;
        }
    }
}
