//! Plays the life of an order, end to end, against the service that the environment names.

use secmon::model::{CustomerId, ServiceId, SubscriptionStatus};
use secmon::operations::{ProvisionEndpoint, ServiceReport};
use secmon::watch::ScanEnd;
use secmon_examples::billing::bulk::Bulk;
use secmon_examples::billing::policy::Next;
use secmon_examples::billing::queue::{Goods, Hook, Order, Queue};
use secmon_examples::billing::watch::{Notifier, first_scans};
use secmon_examples::billing::{Module, nightly, page, sso};
use std::error::Error;
use std::time::{Duration, SystemTime};

fn order(customer: CustomerId, service: u64, goods: Goods) -> Result<Order, Box<dyn Error>> {
    let service = ServiceId::try_from(service)?;
    Ok(Order {
        customer,
        service,
        goods,
        client_name: Some("Ann Example".to_owned()),
    })
}

async fn play(queue: &mut Queue, module: &Module, what: &str) -> Result<(), Box<dyn Error>> {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)?
        .as_secs();
    for outcome in queue.work(&module.background, now).await? {
        println!(
            "{what}: service {}: {} ({:?})",
            outcome.service, outcome.text, outcome.next
        );
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let variable = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
    let key = variable("SECMON_API_KEY")?;
    let module = Module::connect(&variable("SECMON_BASE_URL")?, &key)?;
    let customer: CustomerId = "42".parse()?;
    println!("service: {}", module.screen.health().await?.data.status);

    let file = std::env::temp_dir().join(format!("billing-module-{}.json", std::process::id()));
    let mut queue = Queue::open(&file)?;
    let plan = order(customer, 501, Goods::Plan("professional".into()))?;
    let mut slots = order(customer, 502, Goods::DomainSlots(5))?;
    let server = order(customer, 503, Goods::Server("203.0.113.42".into()))?;
    for (delivery, order) in [("d1", &plan), ("d2", &slots), ("d3", &server)] {
        queue.take(delivery, Hook::Created, order)?;
    }
    println!(
        "the third delivery once more is new: {}",
        queue.take("d3", Hook::Created, &server)?
    );
    // The worker dies, and another one goes on with the file.
    drop(queue);
    let mut queue = Queue::open(&file)?;
    play(&mut queue, &module, "created").await?;

    let id = queue
        .server(server.service)
        .ok_or("the server was not provisioned")?;
    let mut notifier = Notifier::new(&module.background, customer, Some(Default::default()));
    let told = first_scans(
        &module.background,
        customer,
        [id],
        Duration::from_secs(120),
        |end| {
            if let ScanEnd::Scanned(server) = end {
                println!("{} was scanned", server.ip_address);
            }
        },
    );
    println!("waited for the first scan: {:?}", told.await);
    for notice in notifier.look().await? {
        println!("notice: {notice:?}");
    }
    let seen = page::read(&module.screen, customer, 1).await;
    println!("page: {}", serde_json::to_string_pretty(&seen)?);
    println!(
        "sign-in link: {:?}",
        sso::sign_in(&module.screen, customer, Some("/domains")).await?
    );

    for (delivery, hook) in [("d4", Hook::Suspended), ("d5", Hook::Unsuspended)] {
        for order in [&plan, &slots, &server] {
            queue.take(&format!("{delivery}-{}", order.service), hook, order)?;
        }
        play(&mut queue, &module, &format!("{hook:?}")).await?;
    }
    slots.goods = Goods::DomainSlots(8);
    queue.take("d6", Hook::ChangedPackage, &slots)?;
    play(&mut queue, &module, "changed package").await?;

    let report = |service: u64, status| -> Result<ServiceReport, Box<dyn Error>> {
        Ok(ServiceReport::new(
            customer,
            ServiceId::try_from(service)?,
            "port_monitoring",
            status,
        ))
    };
    let reports = [
        report(501, SubscriptionStatus::Suspended)?,
        report(999, SubscriptionStatus::Active)?,
    ];
    print!("{}", nightly::correct(&module.background, &reports).await);
    print!(
        "{}",
        nightly::correct(
            &module.background,
            &[report(501, SubscriptionStatus::Active)?]
        )
        .await
    );

    module.rotate_key(&key)?;
    let mut bulk = Bulk::new(
        (1..=8)
            .map(|host| ProvisionEndpoint::new(customer).ip_address(format!("198.51.100.{host}"))),
    );
    let end = bulk
        .run(&module.background, |bulk| {
            println!("bulk: {:?}", bulk.progress())
        })
        .await;
    println!("bulk ended: {end:?}, done: {}", end == Next::Done);

    for order in [&server, &slots, &plan] {
        queue.take(&format!("d9-{}", order.service), Hook::Terminated, order)?;
    }
    play(&mut queue, &module, "terminated").await?;
    println!("jobs left: {}", queue.jobs().len());
    std::fs::remove_file(queue.file())?;
    Ok(())
}
