# nginx.sh: settings for nginx, to be sourced by scripts that serve with it.

# nginx_settings FOLDER SOCKET LINE: it serves FOLDER/www there and keeps all else in FOLDER; a line of its own settings more.
nginx_settings() {
	cat <<-END
		$([ "$(id -u)" -ne 0 ] || echo 'user root;')
		daemon off; pid $1/nginx.pid; error_log stderr; $3
		events { }
		http {
			access_log off; keepalive_requests 1000000000;
			client_body_temp_path $1/1; proxy_temp_path $1/2; fastcgi_temp_path $1/3;
			uwsgi_temp_path $1/4; scgi_temp_path $1/5;
			server { listen unix:$2; root $1/www; }
		}
	END
}
