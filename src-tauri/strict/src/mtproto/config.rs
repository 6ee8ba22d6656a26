//! The configuration of the server: <https://core.telegram.org/api/config>.

use super::answers::{CallResult, answered};
use super::state::{State, seconds};
use grammers_tl_types::{enums, functions, types};

/// Most UTF-16 units of a message: what servers tell (<https://core.telegram.org/constructor/config>).
pub(super) const MESSAGE_LENGTH: i32 = 4_096;
/// The same of a caption.
pub(super) const CAPTION_LENGTH: i32 = 1_024;

impl State {
    pub(super) fn get_config(&self, _: &functions::help::GetConfig) -> CallResult {
        let here = types::DcOption {
            ipv6: false,
            media_only: false,
            tcpo_only: false,
            cdn: false,
            r#static: true,
            this_port_only: false,
            id: 2,
            ip_address: "127.0.0.1".into(),
            port: self.port.into(),
            secret: None,
        };
        let config = types::Config {
            default_p2p_contacts: false,
            preload_featured_stickers: false,
            revoke_pm_inbox: true,
            blocked_mode: false,
            force_try_ipv6: false,
            date: seconds(),
            expires: seconds() + 3_600,
            test_mode: false,
            this_dc: 2,
            dc_options: vec![here.into()],
            dc_txt_domain_name: String::new(),
            chat_size_max: 200,
            megagroup_size_max: 200_000,
            forwarded_count_max: 100,
            online_update_period_ms: 210_000,
            offline_blur_timeout_ms: 5_000,
            offline_idle_timeout_ms: 30_000,
            online_cloud_timeout_ms: 300_000,
            notify_cloud_delay_ms: 30_000,
            notify_default_delay_ms: 1_500,
            push_chat_period_ms: 60_000,
            push_chat_limit: 2,
            edit_time_limit: 172_800,
            revoke_time_limit: i32::MAX,
            revoke_pm_time_limit: i32::MAX,
            rating_e_decay: 2_419_200,
            stickers_recent_limit: 200,
            channels_read_media_period: 604_800,
            tmp_sessions: None,
            call_receive_timeout_ms: 20_000,
            call_ring_timeout_ms: 90_000,
            call_connect_timeout_ms: 30_000,
            call_packet_timeout_ms: 10_000,
            me_url_prefix: "https://t.me/".into(),
            autoupdate_url_prefix: None,
            gif_search_username: None,
            venue_search_username: None,
            img_search_username: None,
            static_maps_provider: None,
            caption_length_max: CAPTION_LENGTH,
            message_length_max: MESSAGE_LENGTH,
            webfile_dc_id: 4,
            suggested_lang_code: None,
            lang_pack_version: None,
            base_lang_pack_version: None,
            reactions_default: None,
            autologin_token: None,
        };
        answered(&enums::Config::Config(config))
    }
}
