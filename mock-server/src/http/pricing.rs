//! Prices of products (D8).

use http::StatusCode;
use secmon_engine::PricedPlan;
use serde_json::{Number, Value};

use super::context::Context;
use super::customer;
use super::problem::Problem;
use super::reply::{self, Reply};
use crate::values::fields::{Fields, Raw, readers};

/// `POST pricing`.
pub(crate) fn set(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let priced = priced(context, &mut fields);
    let price = fields.required("price", price);
    let currency = fields.required("currency", currency);
    let (priced, price, currency) = fields.finish(|| Some((priced?, price?, currency?)))?;
    let set = context
        .account
        .at(context.call)
        .set_price(&priced, price, currency)?;
    Ok(reply::success(StatusCode::OK, set, context.now()))
}

/// `DELETE pricing`, which has a body.
pub(crate) fn delete(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let priced = priced(context, &mut fields);
    let priced = fields.finish(|| priced)?;
    let deleted = context.account.at(context.call).delete_price(&priced)?;
    Ok(reply::success(StatusCode::OK, deleted, context.now()))
}

fn priced(context: &Context<'_>, fields: &mut Fields<'_>) -> Option<PricedPlan> {
    let product = fields.required("product_slug", customer::slug);
    let plan = fields.optional("plan_slug", customer::slug);
    let product = product?;
    if !fields.failed("plan_slug") {
        let checked = context.account.check_priced_plan(&product, plan.as_deref());
        fields.judge("plan_slug", checked);
    }
    Some(PricedPlan { product, plan })
}

fn price(raw: Raw) -> readers::Read<Number> {
    match raw {
        Raw::Json(Value::Number(number))
            if number
                .as_f64()
                .is_some_and(|price| (0.0..f64::MAX).contains(&price)) =>
        {
            Ok(number.clone())
        }
        _ => Err("must be a number of at least 0.".to_owned()),
    }
}

fn currency(raw: Raw) -> readers::Read<String> {
    let text = readers::string(raw)?;
    if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        Ok(text.to_owned())
    } else {
        Err("must be a currency of three letters.".to_owned())
    }
}
