//! How an operation is declared.

/// Declares one operation: its request with `new` and setters, its row of the table, and its accessors.
///
/// ```text
/// {
///     /// `POST .../suspend`: what it does. Errors: ...
///     suspend_endpoint: SuspendEndpoint -> EndpointState = POST "/api/v1/{namespace}/suspend",
///     Provisioning, Repeatable, Specified, Success;      // group, retry safety, origin of the shape, envelope; then: secret, in_body
///     required { /** The server. */ endpoint_id: EndpointId, }
///     optional { /** A label. */ label: String [most(100)], }      // in brackets: the check of `validate.rs`
///     check { |request, problems| ... }                            // what no field can tell alone
///     answer { |request, answer, check| ... }                      // what of an answer must be as was asked
///     accessors { Servers:                                         // methods of `client.servers()`
///         /// What it does.
///         call suspend(server: EndpointId);                        // `pages` for a list; `= ...` writes the request out
///     }
/// }
/// ```
///
/// A field named in the path's braces travels there. `account_wide` before the name makes a constructor of that name in
/// place of `new`, for a request that [`of_a_customer`] makes keep to one customer; `private` hides `new`.
macro_rules! operation {
    (
        @made [$($seen:tt)?] $made:ident
        $(#[$about:meta])*
        $name:ident: $request:ident -> $output:ty = $method:ident $path:literal,
        $group:ident, $safety:ident, $shape_origin:ident, $envelope:ident $(, $trait_of_row:ident)*;
        $(required { $(
            $(#[doc = $needed_doc:literal])* $(#[serde($($needed_serde:tt)*)])?
            $needed:ident: $needed_kind:tt $([$needed_check:expr])?,
        )* })?
        $(optional { $(
            $(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])?
            $field:ident: $kind:tt $([$check:expr])?,
        )* })?
        $(check { $whole:expr })?
        $(answer { $compare:expr })?
        $(accessors { $resource:ident:
            $($(#[$what:meta])* $how:ident $accessor:ident($($argument:ident: $argument_kind:ty),*) $(= $ready:expr)?;)+
        })?
    ) => {
        $(#[$about])*
        #[doc = ""]
        #[doc = concat!(
            "In the table: [`Group::", stringify!($group), "`](crate::Group), [`RetrySafety::", stringify!($safety),
            "`](crate::RetrySafety), [`ShapeOrigin::", stringify!($shape_origin), "`](crate::ShapeOrigin).",
        )]
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[must_use = "a request does nothing until it is sent"]
        #[non_exhaustive]
        pub struct $request {
            $($(
                $(#[doc = $needed_doc])* $(#[serde($($needed_serde)*)])?
                pub $needed: $needed_kind,
            )*)?
            $($(
                $(#[doc = $doc])* $(#[serde($($serde)*)])?
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$kind>,
            )*)?
        }

        #[allow(clippy::useless_conversion, clippy::new_without_default)]
        impl $request {
            #[doc = $crate::operations::declaration::made!($made)]
            $($seen)? fn $made($($($needed: $crate::operations::declaration::argument!($needed_kind)),*)?) -> Self {
                Self {
                    $($($needed: $needed.into(),)*)?
                    $($($field: None,)*)?
                }
            }

            $($(
                $(#[doc = $doc])*
                pub fn $field(mut self, $field: $crate::operations::declaration::argument!($kind)) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )*)?
        }

        impl $crate::Operation for $request {
            type Output = $output;

            const INFO: &'static $crate::OperationInfo = &$crate::OperationInfo::new(
                stringify!($name),
                $crate::Group::$group,
                http::Method::$method,
                $path,
            )
            .safety($crate::RetrySafety::$safety)
            .shape_origin($crate::ShapeOrigin::$shape_origin)
            .envelope($crate::Envelope::$envelope)
            .fields(&[$($(stringify!($needed),)*)? $($(stringify!($field),)*)?])
            $(.$trait_of_row())*;

            #[allow(unused_variables)]
            fn validate(&self, problems: &mut $crate::FieldErrors) {
                $($($(problems.check(stringify!($needed), Some(&self.$needed), $needed_check);)?)*)?
                $($($(problems.check(stringify!($field), self.$field.as_ref(), $check);)?)*)?
                $({
                    let whole: fn(&Self, &mut $crate::FieldErrors) = $whole;
                    whole(self, problems);
                })?
            }

            $(fn check_answer(&self, answer: &$output, check: &mut $crate::AnswerCheck<'_>) {
                let compare: fn(&Self, &$output, &mut $crate::AnswerCheck<'_>) = $compare;
                compare(self, answer, check);
            })?
        }

        $(impl $crate::client::resources::$resource<'_> {$(
            $(#[$what])*
            pub fn $accessor(
                self,
                $($argument: $argument_kind),*
            ) -> $crate::operations::declaration::accessor!(@result $how $request) {
                let request = $crate::operations::declaration::accessor!(
                    @request $request $($argument)* $(= $ready)?
                );
                self.0.$how(request)
            }
        )+})?
    };
    (account_wide $($declared:tt)+) => {
        $crate::operations::declaration::operation! { @made [pub] account_wide $($declared)+ }
    };
    (private $($declared:tt)+) => { $crate::operations::declaration::operation! { @made [] new $($declared)+ } };
    ($($declared:tt)+) => { $crate::operations::declaration::operation! { @made [pub] new $($declared)+ } };
}

/// Declares the operations of a file, and the part of the table that lists them.
macro_rules! operations {
    (@row account_wide $($declared:tt)+) => { $crate::operations::declaration::operations!(@row $($declared)+) };
    (@row private $($declared:tt)+) => { $crate::operations::declaration::operations!(@row $($declared)+) };
    (@row $(#[$about:meta])* $name:ident: $request:ident $($declared:tt)+) => {
        <$request as $crate::Operation>::INFO
    };
    ($({ $($declared:tt)+ })+) => {
        $($crate::operations::declaration::operation! { $($declared)+ })+

        pub(super) const TABLE: &[&$crate::OperationInfo] =
            &[$($crate::operations::declaration::operations!(@row $($declared)+)),+];
    };
}

/// What an accessor gives, and the request that it sends: made from its arguments unless it is written out.
macro_rules! accessor {
    (@result call $request:ident) => { $crate::CallBuilder<$request> };
    (@result pages $request:ident) => { $crate::Pages<$request> };
    (@request $request:ident $($argument:ident)*) => { $request::new($($argument),*) };
    (@request $request:ident $($argument:ident)* = $ready:expr) => { $ready };
}

/// What the documentation says of how a request is made.
macro_rules! made {
    (account_wide) => {
        "The request for the whole account, whoever owns what it names; `new` keeps to one customer."
    };
    (new) => {
        "The request with what it needs."
    };
}

/// Makes a request that is declared `account_wide` keep to one customer.
macro_rules! of_a_customer {
    ($($request:ident($($needed:ident: $kind:ty)?);)+) => {$(
        impl $request {
            /// The request within a customer's area.
            pub fn new(customer: CustomerId, $($needed: $kind)?) -> Self {
                Self::account_wide($($needed)?).billing_customer_id(customer)
            }
        }
    )+};
}

/// What a setter takes: texts and what is made from one take anything text-like, all else its own type.
macro_rules! argument {
    (String) => { impl Into<String> };
    (Address) => { impl Into<Address> };
    (PlanSlug) => { impl Into<PlanSlug> };
    (ProductSlug) => { impl Into<ProductSlug> };
    (Services) => { impl Into<Services> };
    ($kind:ty) => { $kind };
}

pub(super) use {accessor, argument, made, of_a_customer, operation, operations};
